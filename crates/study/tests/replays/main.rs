//! Complete replays against other simulators, laws and slow reference implementations; logs of every format
//! against generated clusters. The first line of each module gives its purpose.
#![expect(clippy::print_stdout, reason = "tests say what they skip")]

mod support;

mod audited;
mod easy_boxes;
mod goodput;
mod guests;
mod head_promise;
mod oracle;
mod outage_twin;
mod outages;
mod periods;
mod plain_schedules;
mod planned_outages;
mod predictions;
mod recorded;
mod recorded_nodes;
mod rfold_oracle;
mod round_trip;
mod scheduler_laws;
mod schedulers;
mod table_logs;
mod table_subsets;
mod unavailable;
mod why;
