//! The jobs of a site as its accounting has them: sacct, PBS, LSF, Grid Engine, and a spreadsheet's CSV.

use super::simulator::SiteJob;
use super::troubles::Laboratory;

/// A format of accounting.
pub(crate) struct Accounting {
    /// The name of the file.
    pub(crate) file: &'static str,
    /// Further arguments of a command that reads it.
    pub(crate) arguments: &'static [&'static str],
    /// Whether it has the time from which a job may start.
    pub(crate) has_eligible: bool,
    /// Whether it has time limits; without them EASY plans with run times.
    pub(crate) has_limits: bool,
    /// Whether it has records of ends alone.
    pub(crate) has_ends_alone: bool,
    write: fn(&Laboratory) -> String,
}

/// Every format.
pub(crate) const FORMATS: &[Accounting] = &[
    Accounting {
        file: "site.sacct",
        arguments: &[],
        has_eligible: true,
        has_limits: true,
        has_ends_alone: false,
        write: sacct,
    },
    Accounting {
        file: "20240201.pbs",
        arguments: &["--input-format", "pbs"],
        has_eligible: true,
        has_limits: true,
        has_ends_alone: true,
        write: pbs,
    },
    Accounting {
        file: "lsb.acct",
        arguments: &["--input-format", "lsf:unit=nodes"],
        has_eligible: false,
        has_limits: false,
        has_ends_alone: true,
        write: lsf,
    },
    Accounting {
        file: "accounting",
        arguments: &["--input-format", "sge"],
        has_eligible: false,
        has_limits: true,
        has_ends_alone: true,
        write: grid_engine,
    },
    Accounting {
        file: "jobs.csv",
        arguments: &[],
        has_eligible: false,
        has_limits: true,
        has_ends_alone: false,
        write: spreadsheet,
    },
];

/// 2024-02-01 in UTC, the time 0 of sites.
const ORIGIN_S: i64 = 1_706_745_600;

impl Accounting {
    /// Returns the jobs with a start in the file.
    pub(crate) fn started<'a>(&self, site: &'a Laboratory) -> Vec<&'a SiteJob> {
        let has_it =
            |shown: &Shown<'_>| shown.start_s.is_some() && (shown.end_s.is_some() || !self.has_ends_alone);
        shown(site).into_iter().filter(has_it).map(|shown| shown.job).collect()
    }

    /// Returns the first submission in the file.
    pub(crate) fn origin_s(&self, site: &Laboratory) -> i64 {
        let all = shown(site).into_iter().map(|shown| shown.job.submit_s);
        let started = self.started(site).into_iter().map(|job| job.submit_s);
        if self.has_ends_alone { started.min() } else { all.min() }.unwrap_or_default()
    }

    /// Returns the text of the file.
    pub(crate) fn text(&self, site: &Laboratory) -> String {
        (self.write)(site)
    }
}

/// Returns a date in UTC.
fn date(time_s: i64) -> String {
    let (days, second) = ((ORIGIN_S + time_s).div_euclid(86_400), (ORIGIN_S + time_s).rem_euclid(86_400));
    // Civil date of a day number: eras of 400 years that begin in March.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_of_era = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_of_era + 2) / 5 + 1;
    let month = if month_of_era < 10 { month_of_era + 3 } else { month_of_era - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
}

/// Returns the time of the site at a date such as `2024-02-05 01:01`.
pub(crate) fn time_s(text: &str) -> Option<i64> {
    // Dates of one form are ordered as their texts.
    let is_before = |time_s: &i64| date(*time_s).replace('T', " ")[..text.len()] < *text;
    let (mut low_s, mut high_s) = (0, 400 * 86_400);
    while low_s < high_s {
        let middle_s = i64::midpoint(low_s, high_s);
        if is_before(&middle_s) { low_s = middle_s + 1 } else { high_s = middle_s }
    }
    (date(low_s).replace('T', " ").starts_with(text)).then_some(low_s)
}

/// What a dump shows of a job.
struct Shown<'a> {
    job: &'a SiteJob,
    start_s: Option<i64>,
    end_s: Option<i64>,
}

/// Returns what a dump of jobs that ran or waited in the window shows.
fn shown(site: &Laboratory) -> Vec<Shown<'_>> {
    site.jobs.iter().filter_map(|job| shown_of(site, job)).collect()
}

fn shown_of<'a>(site: &Laboratory, job: &'a SiteJob) -> Option<Shown<'a>> {
    let SiteJob { submit_s, start_s, end_s, .. } = *job;
    let Some(window) = &site.window else { return Some(Shown { job, start_s, end_s }) };
    if site.is_by_submission {
        return window.contains(&submit_s).then_some(Shown { job, start_s, end_s });
    }
    let is_there = submit_s < window.end && end_s.is_none_or(|end_s| end_s >= window.start);
    let until = |time_s: Option<i64>| time_s.filter(|&time_s| time_s < window.end);
    is_there.then(|| Shown { job, start_s: until(start_s), end_s: until(end_s) })
}

/// Returns the jobs with records of their ends: those that ended in the window.
fn ended(site: &Laboratory) -> Vec<(&SiteJob, i64, i64)> {
    let mut ended: Vec<_> =
        shown(site).iter().filter_map(|shown| Some((shown.job, shown.start_s?, shown.end_s?))).collect();
    ended.sort_by_key(|(job, _, end_s)| (*end_s, job.number));
    ended
}

fn hosts(job: &SiteJob) -> Vec<String> {
    job.on.iter().map(|node| format!("n{:03}", node + 1)).collect()
}

const PARTITIONS: [&str; 2] = ["batch", "long"];

fn sacct(site: &Laboratory) -> String {
    let mut text =
        "JobIDRaw|JobID|Submit|Eligible|Start|End|ElapsedRaw|State|NNodes|TimelimitRaw|User|Account|\
                    Partition|QOS|NodeList\n"
            .to_owned();
    for Shown { job, start_s, end_s } in shown(site) {
        let SiteJob { number, submit_s, nodes, user, .. } = job;
        let eligible = job.eligible_s.map_or("Unknown".to_owned(), date);
        let [start, end] = [start_s, end_s].map(|time_s| time_s.map_or("Unknown".to_owned(), date));
        let last_s = end_s.or(site.window.as_ref().map(|window| window.end)).unwrap_or_default();
        let elapsed_s = start_s.map_or(0, |start_s| last_s - start_s);
        let state = match (start_s, end_s) {
            (Some(_), Some(_)) => "COMPLETED",
            (Some(_), None) => "RUNNING",
            (None, Some(_)) => "CANCELLED by 1001",
            (None, None) => "PENDING",
        };
        let limit = job.limit_s.map_or("UNLIMITED".to_owned(), |limit_s| (limit_s / 60).to_string());
        let qos = if job.is_urgent { "high" } else { "normal" };
        let list = if start_s.is_some() { hosts(job).join(",") } else { "None assigned".to_owned() };
        text += &format!(
            "{number}|{number}|{}|{eligible}|{start}|{end}|{elapsed_s}|{state}|{nodes}|{limit}|\
             u{user:02}|acc{}|{}|{qos}|{list}\n",
            date(*submit_s),
            user % 5,
            PARTITIONS[job.partition]
        );
    }
    text
}

fn pbs(site: &Laboratory) -> String {
    let mut text = String::new();
    for (job, start_s, end_s) in ended(site) {
        let SiteJob { number, submit_s, nodes, user, .. } = job;
        let [created, eligible, start, end] =
            [*submit_s, job.eligible_s.unwrap_or(*submit_s), start_s, end_s].map(|time_s| ORIGIN_S + time_s);
        let when = date(end_s);
        let when = format!("{}/{}/{} {}", &when[5..7], &when[8..10], &when[..4], &when[11..]);
        let hosts: Vec<String> = hosts(job).iter().map(|host| format!("{host}/0*4")).collect();
        let clock = |time_s: i64| format!("{:02}:{:02}:{:02}", time_s / 3600, time_s / 60 % 60, time_s % 60);
        let limit = job
            .limit_s
            .map_or(String::new(), |limit_s| format!(" Resource_List.walltime={}", clock(limit_s)));
        text += &format!(
            "{when};E;{number}.pbs01;user=u{user:02} group=acc{} queue={} \
             ctime={created} qtime={created} etime={eligible} start={start} exec_host={} \
             Resource_List.nodect={nodes}{limit} session=1 \
             end={end} Exit_status=0 resources_used.walltime={}\n",
            user % 5,
            PARTITIONS[job.partition],
            hosts.join("+"),
            clock(end_s - start_s)
        );
    }
    text
}

fn lsf(site: &Laboratory) -> String {
    let mut text = String::new();
    for (job, start_s, end_s) in ended(site) {
        let SiteJob { number, submit_s, nodes, user, .. } = job;
        let [submit, start, end] = [*submit_s, start_s, end_s].map(|time_s| ORIGIN_S + time_s);
        let hosts: String = hosts(job).iter().map(|host| format!(" \"{host}\"")).collect();
        text += &format!(
            "\"JOB_FINISH\" \"10.1\" {end} {number} 2201 33882739 {nodes} {submit} 0 0 {start} \
             \"u{user:02}\" \"{}\" \"span[ptile=1]\" \"\" \"\" \"login1\" \"/scratch\" \"\" \"%J.out\" \
             \"%J.err\" \"{submit}.{number}\" 0 {nodes}{hosts} 64 60.0 \"job\" \"a.out\" 79.2 6.0 966960 0 \
             -1 0 0 3026323 0 0 0 0 -1 0 0 0 12529329 6498459 -1 \"\" \"proj\" 0 {nodes} \
             \"\" \"\" 0\n",
            PARTITIONS[job.partition]
        );
    }
    text
}

fn grid_engine(site: &Laboratory) -> String {
    let mut text = "# Version: 8.1.9\n".to_owned();
    for (job, start_s, end_s) in ended(site) {
        let SiteJob { number, submit_s, nodes, user, .. } = job;
        let [submit, start, end] = [*submit_s, start_s, end_s].map(|time_s| ORIGIN_S + time_s);
        let limit =
            job.limit_s.map_or("NONE".to_owned(), |limit_s| format!("-l h_rt={limit_s} -pe mpi {nodes}"));
        text += &format!(
            "{}.q:n001.cluster:acc{}:u{user:02}:job:{number}:sge:0:{submit}:{start}:{end}:0:0:{}:\
             140.5:12.2:104188:0:0:0:0:28001:0:0:0.0:24:0:0:0:41:549:NONE:\
             defaultdepartment:mpi:{nodes}:0:152.7:7.3:0.0:{limit}:0.0:NONE:189153280:0:0\n",
            PARTITIONS[job.partition],
            user % 5,
            end_s - start_s
        );
    }
    text
}

fn spreadsheet(site: &Laboratory) -> String {
    let mut text = "job,user,queue,nodes,submitted,started,ended,timelimit\n".to_owned();
    for Shown { job, start_s, end_s } in shown(site) {
        let SiteJob { number, submit_s, nodes, user, .. } = job;
        // Cells of jobs that wait or run are empty, and jobs that never ran have no row.
        if start_s.is_none() && end_s.is_some() {
            continue;
        }
        let [submitted, started, ended] =
            [Some(*submit_s), start_s, end_s].map(|time_s| time_s.map_or(String::new(), date));
        let limit = job.limit_s.map_or(String::new(), |limit_s| limit_s.to_string());
        text += &format!(
            "{number},u{user:02},{},{nodes},{submitted},{started},{ended},{limit}\n",
            PARTITIONS[job.partition]
        );
    }
    text
}
