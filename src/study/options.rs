//! What results depend on beside the study file, told once: a table of options, from which come the flags of the command
//! line, the content keys, what study.json and run.json say, and the commands that go on with a study.

use std::fmt;

use serde::de::{Error, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::cell::Plan;
use crate::metrics::Trim;

/// One thing that a plan says.
#[derive(Debug)]
pub struct PlanOption {
    /// Its name in content keys.
    pub name: &'static str,
    /// Whether content keys have a line of it.
    pub keyed: Keyed,
    /// Its value as content keys spell it.
    text: fn(&Plan) -> String,
    /// How study.json and run.json say it; `None` if they need not.
    json: Option<Json>,
    /// The flag of `sweep` that changes it; `None` if the study file says it.
    pub flag: Option<Flag>,
}

/// Whether an option is part of content keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyed {
    /// Results depend on it.
    Always,
    /// Results depend on it; keys that were made before it existed are those without it.
    IfGiven,
    /// Results do not depend on it: it only says which of them are kept.
    Never,
}

/// An option as JSON.
#[derive(Clone, Copy, Debug)]
struct Json {
    name: &'static str,
    get: fn(&Plan) -> Value,
    /// Sets it; whether the value was of the right type.
    set: fn(&mut Plan, &Value) -> bool,
}

/// An option as a flag of the command line, which changes it from what it usually is.
#[derive(Debug)]
pub struct Flag {
    /// Its name without the dashes.
    pub name: &'static str,
    /// What it does, for the help.
    pub help: &'static str,
    /// Another flag without which it means nothing.
    pub needs: Option<&'static str>,
    /// The arguments by which `replay` does the same for a single cell.
    pub replay: &'static [&'static str],
    /// Whether a plan has it.
    pub is_given: fn(&Plan) -> bool,
    /// Gives it to a plan.
    pub give: fn(&mut Plan),
}

/// Every option, in the order of the lines of content keys.
pub const OPTIONS: &[PlanOption] = &[
    PlanOption {
        name: "trim",
        keyed: Keyed::Always,
        text: |plan| plan.trim.percent.map_or_else(|| "none".to_owned(), |percent| percent.to_string()),
        json: Some(Json {
            name: "trim_percent",
            get: |plan| plan.trim.percent.into(),
            set: |plan, value| {
                plan.trim = Trim { percent: value.as_f64() };
                value.is_null() || value.is_number()
            },
        }),
        flag: None,
    },
    PlanOption {
        name: "replications",
        keyed: Keyed::Always,
        text: |plan| plan.replications.to_string(),
        json: Some(Json {
            name: "replications",
            get: |plan| plan.replications.to_string().into(),
            set: |plan, value| {
                let found = value.as_str().and_then(|text| text.parse().ok());
                found.map(|replications| plan.replications = replications).is_some()
            },
        }),
        flag: None,
    },
    PlanOption {
        name: "timed",
        keyed: Keyed::Always,
        text: |plan| plan.timed.to_string(),
        json: Some(Json {
            name: "timed",
            get: |plan| plan.timed.into(),
            set: |plan, value| value.as_bool().map(|is| plan.timed = is).is_some(),
        }),
        flag: Some(Flag {
            name: "no-timing",
            help: "Measure no times; results are then the same bytes on every run",
            needs: None,
            replay: &["--no-timing"],
            is_given: |plan| !plan.timed,
            give: |plan| plan.timed = false,
        }),
    },
    PlanOption {
        // It follows from the networks of the cells, which are part of their keys and of study.json.
        name: "traffic",
        keyed: Keyed::Always,
        text: |plan| plan.traffic.to_string(),
        json: None,
        flag: None,
    },
    PlanOption {
        name: "contention",
        keyed: Keyed::Always,
        text: |plan| plan.contention.to_string(),
        json: Some(Json {
            name: "contention",
            get: |plan| plan.contention.into(),
            set: |plan, value| value.as_bool().map(|is| plan.contention = is).is_some(),
        }),
        flag: Some(Flag {
            name: "contention",
            help: "Estimate contention: pairs of messages that meet on links if all nodes of each running job send to \
                   each other",
            needs: None,
            replay: &["--contention"],
            is_given: |plan| plan.contention,
            give: |plan| plan.contention = true,
        }),
    },
    PlanOption {
        name: "jobs",
        keyed: Keyed::Never,
        text: |plan| plan.jobs.to_string(),
        json: None,
        flag: Some(Flag {
            name: "jobs",
            help: "Keep the jobs of every cell too: cells/KEY.jobs.parquet",
            needs: None,
            replay: &["--output", "rerun"],
            is_given: |plan| plan.jobs,
            give: |plan| plan.jobs = true,
        }),
    },
    PlanOption {
        name: "placements",
        keyed: Keyed::IfGiven,
        text: |plan| plan.placements.to_string(),
        json: Some(Json {
            name: "placements",
            get: |plan| plan.placements.into(),
            set: |plan, value| value.as_bool().map(|is| plan.placements = is).is_some(),
        }),
        flag: Some(Flag {
            name: "placements",
            help: "Keep the nodes of every job too: the column `nodes` of the jobs, such as 0-3 7",
            needs: Some("jobs"),
            replay: &["--placements"],
            is_given: |plan| plan.placements,
            give: |plan| plan.placements = true,
        }),
    },
];

impl Flag {
    /// The flag as a command line has it.
    pub fn argument(&self) -> String {
        format!("--{}", self.name)
    }
}

impl PlanOption {
    /// Whether the plan has another value than one without it.
    fn is_given(&self, plan: &Plan) -> bool {
        self.flag.as_ref().is_none_or(|flag| (flag.is_given)(plan))
    }

    /// The line of a content key; `None` if there is none.
    pub(super) fn line(&self, plan: &Plan) -> Option<String> {
        let is_keyed = match self.keyed {
            Keyed::Always => true,
            Keyed::IfGiven => self.is_given(plan),
            Keyed::Never => false,
        };
        is_keyed.then(|| format!("{}={}\n", self.name, (self.text)(plan)))
    }

    /// Name and value as JSON has them; `None` if it does not say them.
    fn told(&self, plan: &Plan) -> Option<(&'static str, Value)> {
        let json = self.json.filter(|_| self.keyed == Keyed::Always || self.is_given(plan))?;
        Some((json.name, (json.get)(plan)))
    }
}

impl Plan {
    /// The plan of a study that no flag was given for.
    pub fn usual() -> Self {
        Self { timed: true, ..Self::default() }
    }

    /// The flags that make this plan of the usual one.
    pub fn flags(&self) -> impl Iterator<Item = &'static Flag> {
        OPTIONS.iter().filter_map(|option| option.flag.as_ref()).filter(|flag| (flag.is_given)(self))
    }

    /// Where this plan and another one differ in what JSON says of them, in words; `None` if they do not.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let differs = |option: &&PlanOption| option.told(self) != option.told(other);
        let option = OPTIONS.iter().find(differs)?;
        Some(format!("{} is {}, not {}", option.name, (option.text)(other), (option.text)(self)))
    }
}

/// As the part of an object that JSON says of it.
impl Serialize for Plan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in OPTIONS.iter().filter_map(|option| option.told(self)) {
            map.serialize_entry(name, &value)?;
        }
        map.end()
    }
}

/// From an object that may say other things too. What it does not say is as it is without any flag.
impl<'de> Deserialize<'de> for Plan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Plan;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with the options of a study")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Plan, M::Error> {
                let mut plan = Plan::usual();
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    let Some(json) =
                        OPTIONS.iter().filter_map(|option| option.json).find(|json| json.name == name)
                    else {
                        continue;
                    };
                    if !(json.set)(&mut plan, &value) {
                        return Err(M::Error::custom(format!("{name} cannot be {value}")));
                    }
                }
                Ok(plan)
            }
        }
        deserializer.deserialize_map(Object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_a_plan_is_an_option() {
        // Whoever adds a field is told here that the table needs a row.
        let Plan { timed: _, trim: _, replications: _, jobs: _, traffic: _, contention: _, placements: _ } =
            Plan::default();
        assert_eq!(OPTIONS.len(), 7);
    }

    #[test]
    fn what_json_says_is_read_back() -> Result<(), Box<dyn std::error::Error>> {
        let mut plans = vec![Plan::usual()];
        for flag in OPTIONS.iter().filter_map(|option| option.flag.as_ref()) {
            let mut plan = Plan::usual();
            (flag.give)(&mut plan);
            assert_eq!(plan.flags().map(|flag| flag.name).collect::<Vec<_>>(), [flag.name]);
            plans.push(Plan { jobs: false, ..plan });
        }
        plans.push(Plan { trim: Trim { percent: Some(2.5) }, replications: "3".parse()?, ..Plan::usual() });
        for plan in plans {
            let text = serde_json::to_string(&plan)?;
            assert_eq!(serde_json::from_str::<Plan>(&text)?, plan, "{text}");
        }
        assert!(serde_json::from_str::<Plan>("{\"timed\": 3}").is_err());
        assert_eq!(serde_json::from_str::<Plan>("{\"cells\": []}")?, Plan::usual());
        let difference = Plan::usual().difference(&Plan { placements: true, ..Plan::usual() });
        assert_eq!(difference.as_deref(), Some("placements is true, not false"));
        Ok(())
    }
}
