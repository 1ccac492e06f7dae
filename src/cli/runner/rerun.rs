//! The command that replays one cell of a study on its own.

use crate::cli::quoted;
use crate::execution::RECORDED;
use crate::spec::Spec;
use crate::study::{Point, Study};
use crate::workload::Rules;

/// `meshreplay replay …` with all that differs from its defaults.
pub(super) fn command(study: &Study, cell: usize) -> String {
    let Point { log, rules, arrival_scale, machine, scheduler, allocator, network, seed } =
        &study.cells[cell].point;
    let mut words: Vec<String> = vec!["meshreplay".to_owned(), "replay".to_owned()];
    let log = &study.logs[*log];
    words.push(match &log.model {
        Some(model) => model.spec().to_string(),
        None => log.path.display().to_string(),
    });
    let options = [
        ("--machine", machine.to_string()),
        ("--scheduler", scheduler.to_string()),
        ("--allocator", allocator.to_string()),
        ("--arrival-scale", arrival_scale.to_string()),
        ("--seed", seed.to_string()),
    ];
    words.extend(options.into_iter().flat_map(|(option, value)| [option.to_owned(), value]));
    if network.name != RECORDED {
        words.extend(["--network".to_owned(), network.to_string()]);
    }
    if study.plan.replications.are_several() {
        words.extend(["--replications".to_owned(), study.plan.replications.to_string()]);
    }
    words.extend(rules_options(rules));
    let flags = study.plan.flags().flat_map(|flag| flag.replay);
    words.extend(flags.map(|&word| word.to_owned()));
    quoted::command(words.iter().map(String::as_str))
}

/// The rules as options of `replay`, whose names and values are those of the canonical spelling.
fn rules_options(rules: &Rules) -> Vec<String> {
    let spelt = |rules: &Rules| rules.to_string().parse::<Spec>().ok();
    let (Some(spec), Some(usual)) = (spelt(rules), spelt(&Rules::usual(rules.set))) else {
        return Vec::new();
    };
    let mut options = Vec::new();
    if rules.set != Rules::default().set {
        options.extend(["--rules".to_owned(), spec.name.clone()]);
    }
    for (key, value) in spec.params.iter().filter(|(key, value)| usual.params.get(*key) != Some(value)) {
        options.extend([format!("--{key}"), value.clone()]);
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_become_options() -> Result<(), crate::spec::SpecError> {
        for (rules, options) in [
            ("authors", ""),
            ("requested", "--rules requested"),
            ("requested:overrun=kill,status=authors", "--rules requested --overrun kill --status authors"),
            ("authors:estimate=factor=2", "--estimate factor=2"),
        ] {
            assert_eq!(rules_options(&rules.parse()?).join(" "), options);
        }
        Ok(())
    }
}
