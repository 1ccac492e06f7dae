//! EASY with contiguous allocators: a naive reference implementation, and the promise to the head of the
//! queue.

use meshreplay_base::job::{Job, Shape, Time};
use meshreplay_machine::machine::Mesh;

use super::support::{Numbers, Tested, replay};

type Cells = Vec<[u32; 3]>;

/// The nodes of a box.
fn cells(base: [u32; 3], sizes: [u32; 3]) -> Cells {
    let mut cells = Vec::new();
    for z in 0..sizes[2] {
        for y in 0..sizes[1] {
            cells.extend((0..sizes[0]).map(|x| [base[0] + x, base[1] + y, base[2] + z]));
        }
    }
    cells
}

/// The orientations that first fit tries.
fn orientations(shape: [u32; 3], turn: bool) -> Vec<[u32; 3]> {
    let [a, b, c] = shape;
    let all = [[a, b, c], [b, a, c], [a, c, b], [c, a, b], [c, b, a], [b, c, a]];
    let mut found = Vec::new();
    for sizes in all.into_iter().take(if turn { 6 } else { 1 }) {
        if !found.contains(&sizes) {
            found.push(sizes);
        }
    }
    found
}

struct Runs {
    job: usize,
    expected_end: i64,
    end: i64,
    cells: Cells,
}

/// The algorithm in its published form, with lists of nodes.
struct Naive<'a> {
    jobs: &'a [Job],
    mesh: &'a Mesh,
    turn: bool,
    running: Vec<Runs>,
    waiting: Vec<usize>,
    starts: Vec<Option<(i64, Cells)>>,
}

impl Naive<'_> {
    fn shape(&self, job: usize) -> [u32; 3] {
        match self.jobs[job].shape {
            Shape::Sides(sides) => sides,
            _ => [1; 3],
        }
    }

    /// Every free place for a job if `busy` are taken, by orientation, then in scan order.
    fn places(&self, job: usize, busy: &[&Cells]) -> Vec<Cells> {
        let mut places = Vec::new();
        let extents = self.mesh.extents();
        for sizes in orientations(self.shape(job), self.turn) {
            if (0..3).any(|d| sizes[d] > extents[d]) {
                continue;
            }
            let goes_round = |d: usize| self.mesh.wraps(d) && sizes[d] < extents[d];
            let bases = [0, 1, 2].map(|d| if goes_round(d) { extents[d] } else { extents[d] - sizes[d] + 1 });
            for base in cells([0; 3], bases) {
                let round = |cell: [u32; 3]| [0, 1, 2].map(|d| cell[d] % extents[d]);
                let place: Cells = cells(base, sizes).into_iter().map(round).collect();
                if !busy.iter().any(|held| place.iter().any(|cell| held.contains(cell))) {
                    places.push(place);
                }
            }
        }
        places
    }

    fn busy(&self) -> Vec<&Cells> {
        self.running.iter().map(|run| &run.cells).collect()
    }

    fn start(&mut self, job: usize, now: i64, cells: Cells) {
        self.waiting.retain(|&other| other != job);
        self.starts[job] = Some((now, cells.clone()));
        let Job { run, estimate, .. } = self.jobs[job];
        let (end, expected_end) = (now + run.as_micros(), now + estimate.as_micros());
        self.running.push(Runs { job, expected_end, end, cells });
    }

    /// The first expected end that frees a place for the head, and the jobs that still run then.
    fn shadow(&self, head: usize, now: i64) -> Option<(i64, Vec<usize>)> {
        let mut ends: Vec<i64> = self.running.iter().map(|run| run.expected_end.max(now)).collect();
        ends.sort_unstable();
        ends.into_iter().find_map(|end| {
            let stay = |run: &&Runs| run.expected_end.max(now) > end;
            let left: Vec<&Cells> = self.running.iter().filter(stay).map(|run| &run.cells).collect();
            let jobs = self.running.iter().filter(stay).map(|run| run.job).collect();
            (!self.places(head, &left).is_empty()).then_some((end, jobs))
        })
    }

    fn pass(&mut self, now: i64) {
        while let Some(&head) = self.waiting.first() {
            let Some(place) = self.places(head, &self.busy()).into_iter().next() else { break };
            self.start(head, now, place);
        }
        let Some(&head) = self.waiting.first() else { return };
        let Some((shadow, mut left)) = self.shadow(head, now) else { return };
        let others: Vec<usize> = self.waiting.iter().skip(1).copied().collect();
        for job in others {
            let places = self.places(job, &self.busy());
            let chosen = if now + self.jobs[job].estimate.as_micros() <= shadow {
                places.into_iter().next()
            } else {
                let then: Vec<&Cells> =
                    self.running.iter().filter(|run| left.contains(&run.job)).map(|run| &run.cells).collect();
                let reserved = self.places(head, &then);
                let apart = |place: &Cells, other: &Cells| !place.iter().any(|cell| other.contains(cell));
                let found = places.into_iter().find(|place| reserved.iter().any(|other| apart(place, other)));
                left.extend(found.is_some().then_some(job));
                found
            };
            if let Some(place) = chosen {
                self.start(job, now, place);
            }
        }
    }

    fn run(mut self) -> Vec<Option<(i64, Cells)>> {
        let mut times: Vec<i64> = self.jobs.iter().map(|job| job.submit.as_micros()).collect();
        while let Some(now) = times.iter().copied().chain(self.running.iter().map(|run| run.end)).min() {
            self.running.retain(|run| run.end > now);
            let arriving = (0..self.jobs.len()).filter(|&job| self.jobs[job].submit.as_micros() == now);
            if times.contains(&now) {
                self.waiting.extend(arriving);
                times.retain(|&time| time != now);
            }
            self.pass(now);
        }
        self.starts
    }
}

/// Jobs that fit the machine without rotation. Estimates are exact or up to three times the run time.
fn random_jobs(numbers: &mut Numbers, extents: [u32; 3], count: i64) -> Vec<Job> {
    let mut submit = 0;
    (0..count)
        .map(|number| {
            submit += i64::from(numbers.below(4));
            let run = 1 + i64::from(numbers.below(12));
            let estimate = run * (1 + i64::from(numbers.below(3)));
            let sides = extents.map(|extent| 1 + numbers.below(extent.min(2 + extent / 2)));
            let [submit, run, estimate] = [submit, run, estimate].map(Time::from_seconds);
            Job {
                number,
                submit,
                run,
                estimate,
                procs: sides.iter().product(),
                shape: Shape::Sides(sides),
                ..Job::default()
            }
        })
        .collect()
}

#[test]
fn backfilling_around_a_reserved_place_equals_the_naive_twin() -> Tested {
    let mut numbers = Numbers(17);
    for (text, rounds) in [
        ("5x4", 60),
        ("7", 40),
        ("3x3x2", 30),
        ("8x8", 12),
        ("torus:5x4", 60),
        ("torus:7", 40),
        ("3x3x3:wrap=xz", 30),
        ("6x4:wrap=y", 40),
        ("torus:4x3x2", 30),
    ] {
        let mesh: Mesh = text.parse()?;
        for round in 0..rounds {
            let jobs = random_jobs(&mut numbers, mesh.extents(), 40);
            for (allocator, turn) in
                [("first-fit", false), ("first-fit:turn=yes", true), ("adaptive-scan", true)]
            {
                let found = replay(&jobs, text, "easy", allocator)?;
                let naive = Naive {
                    jobs: &jobs,
                    mesh: &mesh,
                    turn,
                    running: Vec::new(),
                    waiting: Vec::new(),
                    starts: vec![None; jobs.len()],
                };
                for (job, start) in naive.run().into_iter().enumerate() {
                    let (start, cells) = start.ok_or("never started")?;
                    let label = format!("{allocator} on {text}, round {round}, job {job}");
                    assert_eq!(found.jobs[job].record.start.as_micros(), start, "{label}");
                    let sum: u32 = cells
                        .iter()
                        .enumerate()
                        .map(|(i, a)| cells[..i].iter().map(|&b| mesh.l1(*a, b)).sum::<u32>())
                        .sum();
                    assert_eq!(found.jobs[job].measures.dispersal.pairwise_sum, u64::from(sum), "{label}");
                }
            }
        }
    }
    Ok(())
}

#[test]
fn no_strategy_starves_the_head() -> Tested {
    // A stream of small jobs would starve a large job if EASY planned with node counts only.
    let at = Time::from_seconds;
    let job = |number: i64, submit: i64, run: i64, sides: [u32; 3]| {
        let procs = sides.iter().product();
        Job {
            number,
            submit: at(submit),
            run: at(run),
            estimate: at(run),
            procs,
            shape: Shape::Sides(sides),
            ..Job::default()
        }
    };
    let mut jobs = vec![job(0, 0, 10, [2, 2, 1]), job(1, 1, 5, [4, 2, 1])];
    jobs.extend((2..60).map(|number| job(number, number, 7, [1, 2, 1])));
    for allocator in [
        "first-fit",
        "best-fit:turn=yes",
        "worst-fit",
        "fixed-orientation",
        "rbs",
        "stack-based",
        "busy-list",
    ] {
        let found = replay(&jobs, "4x2", "easy", allocator)?;
        assert_eq!(found.jobs[1].record.start, at(10), "{allocator}");
    }
    Ok(())
}

#[test]
fn a_place_that_goes_round_the_end_is_found() -> Tested {
    // Nodes 1 and 2 are busy until 1,000 s; nodes 3 and 0, neighbours on the ring, until 20 s.
    let at = Time::from_seconds;
    let job = |number: i64, submit: i64, run: i64, procs: u32| {
        let shape = Shape::Sides([procs, 1, 1]);
        Job { number, submit: at(submit), run: at(run), estimate: at(run), procs, shape, ..Job::default() }
    };
    let jobs = [job(0, 0, 10, 1), job(1, 1, 999, 2), job(2, 2, 18, 1), job(3, 3, 5, 2)];
    for allocator in [
        "first-fit",
        "first-fit:turn=yes",
        "fixed-orientation",
        "rfold-first-fit",
        "best-fit",
        "best-fit:turn=yes",
        "worst-fit",
        "worst-fit:turn=yes",
        "max-periphery",
        "adaptive-scan",
        "busy-list",
        "rbs",
        "rbs:turn=yes",
        "stack-based",
        "qna-scan",
        "gabl",
        "qna",
        "anca",
    ] {
        for scheduler in ["fcfs", "easy"] {
            let found = replay(&jobs, "torus:4x1", scheduler, allocator)?;
            assert_eq!(found.jobs[3].record.start, at(20), "{allocator}, {scheduler}");
            assert_eq!(found.jobs[3].measures.dispersal.components, 1, "{allocator}");
        }
    }
    for (machine, start_s) in [("torus:4", 20), ("4", 1000)] {
        let found = replay(&jobs, machine, "fcfs", "linear-first-fit")?;
        assert_eq!(found.jobs[3].record.start, at(start_s), "{machine}");
    }
    let refused = replay(&jobs, "torus:4", "fcfs", "left-compaction").err().map(|error| error.to_string());
    assert!(refused.as_ref().is_some_and(|text| text.contains("a ring has none")), "{refused:?}");
    Ok(())
}
