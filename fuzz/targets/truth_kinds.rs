//! Sound logs of all formats and kinds of tables, with as many lines for each job.

/// A format, and how its lines are made.
pub(super) struct Kind {
    /// The name in what is printed.
    pub(super) name: &'static str,
    /// Spec of the format; empty for one that is recognised by the first line.
    pub(super) format: &'static str,
    /// The lines above the jobs.
    pub(super) heading: &'static str,
    /// The line or lines of a job. `{j}` is its number, `{jj}` the same with two digits, `{at}` a submission
    /// with four digits, `{start}` and `{end}` likewise, `{run}` the time between them.
    pub(super) line: &'static str,
    /// What follows each line but the last one.
    pub(super) between: &'static str,
    /// The lines below the jobs.
    pub(super) end: &'static str,
    /// What replaces the bars of all lines.
    pub(super) separator: &'static str,
}

impl Kind {
    /// Returns the log of jobs from 1 to a number.
    pub(super) fn text(&self, jobs: usize) -> String {
        let mut text = self.heading.to_owned();
        for job in 1..=jobs {
            let line = self.line.replace("{j}", &job.to_string()).replace("{jj}", &format!("{job:02}"));
            let [at, run] = [10 * job, 60 + job];
            let line =
                line.replace("{at}", &format!("{at:04}")).replace("{start}", &format!("{:04}", at + 5));
            let line =
                line.replace("{end}", &format!("{:04}", at + 5 + run)).replace("{run}", &run.to_string());
            text += &line;
            text += if job < jobs { self.between } else { "" };
            text.push('\n');
        }
        (text + self.end).replace('|', self.separator)
    }
}

const fn kind(name: &'static str, format: &'static str, heading: &'static str, line: &'static str) -> Kind {
    Kind { name, format, heading, line, between: "", end: "", separator: "|" }
}

/// A table whose separator is in place of the bars.
const fn table(name: &'static str, separator: &'static str) -> Kind {
    let heading = "id|name|submit|start|end|nodes|user|comment\n";
    let line = "{j}|job{j}|1{at}|1{start}|1{end}|2|anna|\"a|b \"\"c\"\" {j}\"";
    Kind { separator, ..kind(name, "table", heading, line) }
}

/// A dump of `sacct` whose separator is in place of the bars.
const fn sacct(name: &'static str, separator: &'static str) -> Kind {
    let heading = "JobID|JobIDRaw|Submit|Start|End|State|NNodes|User|Partition\n";
    let line =
        "{j}|{j}|2024-05-01T10:{jj}:00|2024-05-01T10:{jj}:05|2024-05-01T11:{jj}:00|COMPLETED|2|anna|batch";
    Kind { separator, ..kind(name, "sacct:time-zone=UTC", heading, line) }
}

/// Every kind.
pub(super) const KINDS: [Kind; 27] = [
    kind("swf", "swf", "", "{j} 1{at} 5 {run} 4 -1 -1 4 900 -1 1 3 1 -1 1 -1 -1 -1"),
    kind("swf recognised", "", "", "{j} 1{at} 5 {run} 4 -1 -1 4 900 -1 1 3 1 -1 1 -1 -1 -1"),
    kind("premas", "premas", "", "1{at}\t4\t{run}\t900"),
    kind("nas-ipsc", "nas-ipsc", "", "user{j} cmd{j} 4 {run} 10/01/93 00:{jj}:12"),
    kind(
        "pbs",
        "pbs",
        "",
        "10/01/2023 00:00:12;E;{j}.server;user=a group=g account=\"x y\" jobname=run{j} queue=q \
         ctime=169611{at} \
         qtime=169611{at} etime=169611{at} start=169611{start} exec_host=n0/0*4+n1/0*4 Resource_List.ncpus=8 \
         Resource_List.walltime=01:00:00 end=169611{end} Exit_status=0",
    ),
    kind(
        "sge",
        "sge",
        "",
        "all.q:n01.cluster:phys:anna:run{j}.sh:{j}:sge:0:131076{at}:131076{start}:131076{end}:0:0:3600:\
         14000.5:12.2:\
         104188:0:0:0:0:28001:0:0:0.0:24:0:0:0:41:549:NONE:defaultdepartment:mpi:32:0:14012.7:7.3:0.0:-l \
         h_rt=36000 -pe mpi 32:0.0:NONE:189153280:0:0",
    ),
    kind(
        "lsf",
        "lsf",
        "",
        "\"JOB_FINISH\" \"10.1\" 138964{end} {j} 2201 33882739 32 138964{at} 0 0 138964{start} \"anna\" \
         \"normal\" \
         \"span[ptile=16]\" \"\" \"\" \"login1\" \"/scratch/anna\" \"\" \"%J.out\" \"%J.err\" \
         \"1389640000.501\" 0 2 \"16*h1\" \"16*h2\" 64 60.0 \"job \"\"one\"\"\" \"#!/bin/sh;./a.out\" \
         5793.2 6.0 966960 0 -1 0 0 3026323 0 0 0 0 -1 0 0 0 12529329 6498459 -1 \"\" \"proj\" 0 32 \"\" \
         \"\"\"\"",
    ),
    kind(
        "slurm-jobcomp",
        "slurm-jobcomp:time-zone=UTC",
        "",
        "JobId={j} UserId=anna(1000) GroupId=g(1000) Name=job{j} JobState=COMPLETED Partition=batch \
         TimeLimit=60 StartTime=2024-05-01T10:{jj}:05 EndTime=2024-05-01T11:{jj}:00 NodeList=n[1-2] \
         NodeCnt=2 \
         ProcCnt=8 WorkDir=/w Account=p QOS=normal SubmitTime=2024-05-01T10:{jj}:00 \
         EligibleTime=2024-05-01T10:{jj}:00",
    ),
    Kind {
        name: "slurm-json",
        format: "slurm-json",
        heading: "{\"meta\":{\"Slurm\":{\"release\":\"22.05.8\"}},\"jobs\":[\n",
        line: "{\"account\":\"a\",\"allocation_nodes\":2,\"cluster\":\"c\",\"time\":{\"elapsed\":{run},\
               \"eligible\":171450{at},\
               \"end\":171450{end},\"start\":171450{start},\"submission\":171450{at},\"limit\":60},\
               \"job_id\":{j},\
               \"name\":\"a b\",\"nodes\":\"n[1-2]\",\"partition\":\"batch\",\"required\":{\"CPUs\":8},\
               \"state\":{\"current\":\"COMPLETED\",\"reason\":\"None\"},\"steps\":[],\"user\":\"anna\"}",
        between: ",",
        end: "]}\n",
        separator: "|",
    },
    sacct("sacct bars", "|"),
    sacct("sacct commas", ","),
    sacct("sacct tabs", "\t"),
    kind(
        "sacct texts",
        "sacct:time-zone=UTC",
        "JobID|JobIDRaw|JobName|Submit|Start|End|State|NNodes|User|SubmitLine\n",
        "{j}|{j}|a b|2024-05-01T10:{jj}:00|2024-05-01T10:{jj}:05|2024-05-01T11:{jj}:00|COMPLETED|2|anna|\
         sbatch x | \
         tee {j}",
    ),
    kind(
        "sacct texts over lines",
        "sacct:time-zone=UTC",
        "JobID|SubmitLine|Submit|Start|End|State|NNodes|Comment\n",
        "{j}|sbatch x \\\n--y|2024-05-01T10:{jj}:00|2024-05-01T10:{jj}:05|2024-05-01T11:{jj}:00|COMPLETED|2|\
         tee",
    ),
    kind(
        "sacct widths",
        "sacct:time-zone=UTC",
        "JobID        Submit              Start               End                 State      NNodes   \n\
         ------------ ------------------- ------------------- ------------------- ---------- -------- \n",
        "{jj}           2024-05-01T10:{jj}:00 2024-05-01T10:{jj}:05 2024-05-01T11:{jj}:00  \
         COMPLETED        2 ",
    ),
    kind(
        "sacct recognised",
        "auto:time-zone=UTC",
        "JobID|JobIDRaw|Submit|Start|End|State|NNodes|User\n",
        "{j}|{j}|2024-05-01T10:{jj}:00|2024-05-01T10:{jj}:05|2024-05-01T11:{jj}:00|COMPLETED|2|anna",
    ),
    table("table commas", ","),
    table("table tabs", "\t"),
    table("table bars", "|"),
    table("table semicolons", ";"),
    table("table blanks", " "),
    kind(
        "table quoted newlines",
        "table:quoted-newlines=yes",
        "id,submit,start,end,nodes,comment\n",
        "{j},1{at},1{start},1{end},2,\"a\nb {j}\"",
    ),
    kind(
        "table batsim",
        "table",
        "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,\
         final_state,starting_time,execution_time,finish_time,waiting_time,allocated_resources,metadata\n",
        "{j},w0,delay,1{at}.000000,4,900,1,COMPLETED_SUCCESSFULLY,1{start}.000000,{run}.000000,1{end}.000000,\
         5.000000,0-1 4-5,\"\"",
    ),
    kind(
        "table slurmdbd",
        "table",
        "id_job,job_name,id_user,account,partition,state,timelimit,nodes_alloc,cpus_req,time_submit,\
         time_eligible,time_start,time_end,nodelist\n",
        "{j},run {j},1000,phys,batch,3,60,2,8,171450{at},171450{at},171450{start},171450{end},\"n[1-2]\"",
    ),
    kind("columns", "columns:submit=2,wait=3,run=4,procs=5,job=1", "", "{j} 1{at} 5 {run} 4"),
    kind(
        "json lines",
        "table",
        "",
        "{\"id\": {j}, \"name\": \"job {j}\", \"submit\": 1{at}, \"start\": 1{start}, \"end\": 1{end}, \
         \"nodes\": 2}",
    ),
    Kind {
        name: "json list",
        format: "table",
        heading: "[\n",
        line: "{\"id\": {j}, \"submit\": 1{at}, \"start\": 1{start}, \"end\": 1{end}, \"nodes\": 2, \
               \"hosts\": [\"n{j}\"]}",
        between: ",",
        end: "]\n",
        separator: "|",
    },
];
