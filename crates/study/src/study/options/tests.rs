//! Laws over the rows of the table of options.

use super::*;

/// Returns the name and the value of every field, in the format of `Debug`.
fn fields(options: &Options) -> Vec<String> {
    let mut fields: Vec<String> = Vec::new();
    for line in format!("{options:#?}").lines() {
        // Lines of fields are indented once, and lines of their values more than once.
        match line.strip_prefix("    ") {
            Some(field) if field.starts_with(char::is_alphabetic) => fields.push(field.to_owned()),
            rest => {
                if let Some(field) = fields.last_mut() {
                    *field += rest.unwrap_or_default();
                }
            }
        }
    }
    fields
}

#[test]
fn every_field_is_an_option() -> Result<(), String> {
    let default = Options::without_flags();
    let mut changed = default.clone();
    for row in OPTIONS {
        (row.set)(&mut changed, row.example)?;
    }
    let (before, after) = (fields(&default), fields(&changed));
    assert_eq!((before.len(), after.len()), (OPTIONS.len(), OPTIONS.len()), "{before:?}");
    for (before, after) in before.iter().zip(&after) {
        assert_ne!(before, after, "no row of OPTIONS sets this field");
    }
    Ok(())
}

#[test]
fn every_option_stands_wherever_it_matters() -> Result<(), Box<dyn std::error::Error>> {
    let default = Options::without_flags();
    let key = |options: &Options| -> String { OPTIONS.iter().filter_map(|row| row.line(options)).collect() };
    for row in OPTIONS {
        let other = row.example;
        let mut options = default.clone();
        (row.set)(&mut options, other)?;
        assert_eq!(row.text(&options), other);
        assert_eq!(key(&options) != key(&default), row.keyed != Keyed::Never, "{}", row.name);
        if row.json.is_some() {
            let text = serde_json::to_string(&options)?;
            assert_eq!(serde_json::from_str::<Options>(&text)?, options, "{text}");
        }
        let (sweep, replay) = (options.sweep_arguments(), options.replay_arguments());
        let Some(flag) = &row.flag else { continue };
        let mut words = vec![flag.argument()];
        words.extend(matches!(flag.gives, FlagValue::Argument(_)).then(|| other.to_owned()));
        assert_eq!(sweep, if flag.is_of_sweep { words.clone() } else { Vec::new() });
        assert_eq!(
            replay,
            flag.in_replay.map_or(words, |words| words.iter().map(ToString::to_string).collect())
        );
        if let FlagValue::Value(value) = flag.gives {
            assert_eq!(value, other);
        }
    }
    assert!(serde_json::from_str::<Options>("{\"timed\": 3}").is_err());
    assert_eq!(serde_json::from_str::<Options>("{\"cells\": []}")?, default);
    let difference = default.difference(&Options { placements: true, ..default.clone() });
    assert_eq!(difference.as_deref(), Some("placements is true, not false"));
    Ok(())
}
