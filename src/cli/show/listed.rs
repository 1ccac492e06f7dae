//! Arguments that list specs, separated by spaces or commas.

use std::str::FromStr;

use crate::spec::{Spec, SpecError};

/// One or more specs, separated by commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Specs(Vec<Spec>);

impl FromStr for Specs {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut specs: Vec<String> = Vec::new();
        for part in text.split(',') {
            // A comma also separates the parameters of one spec.
            let is_parameter = part.split_once('=').is_some_and(|(key, _)| !key.contains([':', '|']));
            match specs.last_mut() {
                Some(spec) if is_parameter => *spec = format!("{spec},{part}"),
                _ => specs.push(part.to_owned()),
            }
        }
        Ok(Self(specs.iter().map(|spec| spec.parse()).collect::<Result<_, _>>()?))
    }
}

/// Returns all specs of an argument, in order.
pub(super) fn flat(lists: &[Specs]) -> Vec<Spec> {
    lists.iter().flat_map(|list| &list.0).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_part_specs_and_parameters() -> Result<(), SpecError> {
        for (text, expected) in [
            ("mbs", vec!["mbs"]),
            ("mbs,hilbert+bf", vec!["mbs", "hilbert+bf"]),
            ("curve:order=hilbert,select=best-fit,mbs", vec!["curve:order=hilbert,select=best-fit", "mbs"]),
            ("mbs,paging:size=1,order=snake", vec!["mbs", "paging:size=1,order=snake"]),
            ("best-of:mm|paging:size=1,mbs", vec!["best-of:mm|paging:size=1", "mbs"]),
        ] {
            let expected = expected.into_iter().map(str::parse).collect::<Result<Vec<Spec>, _>>()?;
            assert_eq!(flat(&[text.parse()?]), expected, "{text}");
        }
        assert!("mbs,".parse::<Specs>().is_err());
        Ok(())
    }
}
