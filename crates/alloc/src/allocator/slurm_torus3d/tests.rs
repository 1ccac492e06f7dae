//! Each rule on a case that is small enough to follow by hand, and each mistake that a file can have.

use std::fs;
use std::path::Path;

use super::*;
use crate::allocator::{Built, build as build_allocator};
use meshreplay_base::spec::Spec;
use meshreplay_machine::machine::Mesh;

type Tested = Result<(), Box<dyn std::error::Error>>;

/// Returns the text of a topology of one torus, `nodes` and `placements` in YAML.
fn one_torus(dims: [u32; 3], nodes: &str, placements: &[&str]) -> String {
    let [x, y, z] = dims;
    let listed = placements.join("\n          - ");
    format!(
        "- topology: t\n  torus3d:\n    toruses:\n      - name: a\n        dims: {{x: {x}, y: {y}, z: \
         {z}}}\n        nodes: {nodes}\n        placements:\n          - {listed}\n"
    )
}

/// Builds the allocator on `machine` from the text of a topology.yaml. `more` are further parameters, each
/// behind a comma. The folder's name is left out of messages.
fn built(text: &str, machine: &str, more: &str) -> Result<Built, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = folder.path().join("topology.yaml");
    fs::write(&path, text).map_err(|error| error.to_string())?;
    let shown = |path: &Path| path.display().to_string();
    let spec = format!("slurm-torus3d:path={}{more}", shown(&path));
    let spec: Spec = spec.parse().map_err(|error: SpecError| error.to_string())?;
    let mesh: Mesh =
        machine.parse().map_err(|error: meshreplay_machine::machine::mesh::MeshError| error.to_string())?;
    build_allocator(&spec, &Setup::new(&mesh, 0))
        .map_err(|error| error.to_string().replace(&shown(&path), "FILE"))
}

/// Returns the nodes that a job of `procs` processors gets if `busy` are in use; `None` if it is refused.
fn placed(
    text: &str,
    machine: &str,
    more: &str,
    busy: &[u32],
    procs: u32,
) -> Result<Option<Vec<u32>>, String> {
    let mut strategy = built(text, machine, more)?.strategy;
    let mut machine = Machine::new(machine.parse().map_err(|error| format!("{error:?}"))?);
    machine.occupy(busy).map_err(|error| error.to_string())?;
    Ok(strategy.propose(&Request::of(procs), &machine).map(|placement| placement.nodes))
}

#[test]
fn anchors_are_scanned_x_outermost_and_the_first_of_equals_stays() -> Tested {
    let text = one_torus([2, 2, 2], "n[1-8]", &["dims: {x: 1, y: 1, z: 1}"]);
    for (busy, node) in [(&[][..], 0), (&[0], 4), (&[0, 4], 2), (&[0, 4, 2, 6], 1)] {
        assert_eq!(placed(&text, "torus:2x2x2", "", busy, 1)?, Some(vec![node]), "{busy:?}");
    }
    Ok(())
}

#[test]
fn boxes_wrap_and_begin_at_the_seed() -> Tested {
    let placement =
        "{dims: {x: 2, y: 1, z: 1}, anchor_seed: {x: 3, y: 0, z: 0}, anchor_spacing: {x: 2, y: 1, z: 1}}";
    let text = one_torus([4, 1, 1], "n[1-4]", &[placement]);
    assert_eq!(placed(&text, "4", "", &[], 2)?, Some(vec![0, 3]));
    assert_eq!(placed(&text, "4", "", &[0], 2)?, Some(vec![1, 2]));
    // Nodes 2 and 3 are free, but no box begins at 2.
    assert_eq!(placed(&text, "4", "", &[0, 1], 2)?, None);
    Ok(())
}

#[test]
fn shapes_are_not_turned_and_other_sizes_are_refused() -> Tested {
    let text = one_torus([4, 4, 1], "n[1-16]", &["dims: {x: 4, y: 1, z: 1}"]);
    // One node of each row is in use; columns are free.
    assert_eq!(placed(&text, "torus:4x4x1", "", &[0, 4, 8, 12], 4)?, None);
    assert_eq!(placed(&text, "torus:4x4x1", "", &[], 3)?, None);
    assert_eq!(placed(&text, "torus:4x4x1", ",round=up", &[], 3)?, Some(vec![0, 1, 2, 3]));
    assert_eq!(placed(&text, "torus:4x4x1", ",round=up", &[], 5)?, None);
    let strategy = built(&text, "torus:4x4x1", "")?.strategy;
    let mesh = "torus:4x4x1".parse()?;
    assert_eq!(strategy.nodes_for(&Request::of(4), &mesh).least, 4);
    assert_eq!(strategy.nodes_for(&Request::of(3), &mesh).least, u32::MAX);
    // A box of the list `--shape list:` makes the size.
    let slice = Request { shape: Shape::Slice([2, 2, 1]), ..Request::of(3) };
    assert_eq!(strategy.nodes_for(&slice, &mesh).least, 4);
    Ok(())
}

#[test]
fn the_box_that_destroys_fewest_boxes_of_the_next_placement_wins() -> Tested {
    let text = one_torus([8, 1, 1], "n[1-8]", &["dims: {x: 2, y: 1, z: 1}", "dims: {x: 4, y: 1, z: 1}"]);
    assert_eq!(placed(&text, "8", "", &[], 2)?, Some(vec![0, 1]));
    // The box of nodes 4 to 7 is broken already.
    assert_eq!(placed(&text, "8", "", &[5], 2)?, Some(vec![6, 7]));
    // Only the first larger placement counts: the two shapes of 4 nodes are both whole here, and the one of 8
    // not.
    let text = one_torus(
        [8, 1, 1],
        "n[1-8]",
        &["dims: {x: 2, y: 1, z: 1}", "dims: {x: 8, y: 1, z: 1}", "dims: {x: 4, y: 1, z: 1}"],
    );
    assert_eq!(placed(&text, "8", "", &[5], 2)?, Some(vec![6, 7]));
    Ok(())
}

#[test]
fn of_placements_of_one_size_the_first_wins_however_much_it_destroys() -> Tested {
    let rows = "dims: {x: 4, y: 1, z: 1}";
    let columns = "dims: {x: 1, y: 4, z: 1}";
    let large = "dims: {x: 4, y: 2, z: 1}";
    for (placements, nodes) in
        [([columns, rows, large], [0, 4, 8, 12]), ([rows, columns, large], [0, 1, 2, 3])]
    {
        let text = one_torus([4, 4, 1], "n[1-16]", &placements);
        assert_eq!(placed(&text, "torus:4x4x1", "", &[], 4)?, Some(nodes.to_vec()));
    }
    Ok(())
}

#[test]
fn the_box_of_the_lightest_nodes_wins() -> Tested {
    let text = one_torus([6, 1, 1], "n[1-6]", &["dims: {x: 2, y: 1, z: 1}"]);
    let conf = tempfile::NamedTempFile::new()?;
    fs::write(conf.path(), "NodeName=n[1-2] Weight=5\nNodeName=n3 Weight=2\nNodeName=n4 Weight=3\n")?;
    let weights = format!(",weights={}", conf.path().display());
    assert_eq!(placed(&text, "6", &weights, &[], 2)?, Some(vec![4, 5]));
    // The heaviest node counts: 3 of nodes 2 and 3, 5 of nodes 0 and 1.
    assert_eq!(placed(&text, "6", &weights, &[4], 2)?, Some(vec![2, 3]));
    Ok(())
}

/// Two toruses of four nodes each.
const TWO: &str = "
- topology: other
  block: {block_sizes: [4]}
- topology: t
  torus3d:
    toruses:
      - {name: a, dims: {x: 4, y: 1, z: 1}, nodes: 'a[0-3]', placements: [dims: {x: 2, y: 1, z: 1}]}
      - name: b
        dims: {x: 2, y: 2, z: 2}
        regions:
          - {anchor: {x: 0, y: 1, z: 0}, dims: {x: 2, y: 1, z: 2}, nodes: 'b[0-3]'}
        placements:
          - {dims: {x: 2, y: 1, z: 1}, anchor_spacing: {x: 2, y: 1, z: 1}}
          - dims: {x: 1, y: 1, z: 2}
";

#[test]
fn the_torus_with_fewer_idle_nodes_wins_and_cells_without_nodes_are_not_given() -> Tested {
    assert_eq!(placed(TWO, "8", "", &[], 2)?, Some(vec![0, 1]));
    // One idle node less on b. Its row at y = 0 has no nodes; that at y = 1, z = 0 is nodes 4 and 5.
    assert_eq!(placed(TWO, "8", "", &[7], 2)?, Some(vec![4, 5]));
    assert_eq!(placed(TWO, "8", "", &[7, 4], 2)?, Some(vec![0, 1]));
    assert_eq!(placed(TWO, "8", "", &[0, 1, 2, 5, 6], 2)?, None);
    // On b only the second placement, of nodes 5 and 7, has a box left.
    assert_eq!(placed(TWO, "8", "", &[0, 2, 6], 2)?, Some(vec![4, 5]));
    assert_eq!(placed(TWO, "8", "", &[0, 2, 4, 6], 2)?, Some(vec![5, 7]));
    Ok(())
}

#[test]
fn segments_are_chosen_one_after_the_other() -> Tested {
    assert_eq!(placed(TWO, "8", ",segment=2", &[1, 7], 4)?, Some(vec![2, 3, 4, 5]));
    assert_eq!(placed(TWO, "8", ",segment=2", &[], 6)?, Some(vec![0, 1, 2, 3, 4, 5]));
    assert_eq!(placed(TWO, "8", ",segment=2", &[], 8)?, Some((0..8).collect()));
    assert_eq!(placed(TWO, "8", ",segment=2", &[1, 3], 6)?, None);
    assert_eq!(placed(TWO, "8", ",segment=2", &[], 3)?, None);
    assert_eq!(placed(TWO, "8", ",segment=2,round=up", &[], 3)?, Some((0..4).collect()));
    Ok(())
}

#[test]
fn without_a_file_jobs_get_boxes_of_powers_of_two() -> Tested {
    for (machine, procs, nodes) in [
        ("torus:4x4", 4, vec![0, 1, 4, 5]),
        ("4x4", 3, vec![0, 1, 4, 5]),
        ("torus:5x1x2", 8, vec![0, 1, 2, 3, 5, 6, 7, 8]),
    ] {
        let mesh: Mesh = machine.parse()?;
        let Built { mut strategy, spec, .. } =
            build_allocator(&Spec::named("slurm-torus3d"), &Setup::new(&mesh, 0))?;
        assert_eq!(spec.to_string(), "slurm-torus3d:round=up,segment=0");
        let placement = strategy.propose(&Request::of(procs), &Machine::new(mesh));
        assert_eq!(placement.map(|placement| placement.nodes), Some(nodes), "{machine}");
    }
    let message = |text: &str| {
        let mesh = "torus:4x4".parse().map_err(|error| format!("{error:?}"))?;
        let spec: Spec = text.parse().map_err(|error: SpecError| error.to_string())?;
        let failed = build_allocator(&spec, &Setup::new(&mesh, 0)).err();
        Ok::<String, String>(failed.map(|error| error.to_string()).unwrap_or_default())
    };
    assert_eq!(
        message("slurm-torus3d:weights=a")?,
        "parameter 'weights' of 'slurm-torus3d': nodes have names only in a topology.yaml; give it with \
             path=FILE"
    );
    assert_eq!(
        message("slurm-torus3d:segment=3")?,
        "parameter 'segment' of 'slurm-torus3d' is '3': expected 0 or the size of a placement: 1, 2, 4, 8, 16"
    );
    let absent = message("slurm-torus3d:path=/absent/t.yaml")?;
    assert!(absent.starts_with("parameter 'path' of 'slurm-torus3d': /absent/t.yaml: "), "{absent}");
    Ok(())
}

#[test]
fn the_machine_must_be_that_of_the_file() {
    let text = one_torus([4, 2, 2], "n[1-16]", &["dims: {x: 2, y: 1, z: 1}"]);
    for (text, machine, problem) in [
        (
            text.as_str(),
            "4x2x2",
            "FILE: its topology has the torus 'a' of 4x2x2; expected --machine torus:4x2x2, or 16 (an array)",
        ),
        (
            &text,
            "torus:2x4x2",
            "FILE: its topology has the torus 'a' of 4x2x2; expected --machine torus:4x2x2, or 16 (an array)",
        ),
        (
            TWO,
            "torus:4x2",
            "FILE: its topology has the toruses 'a' of 4x1x1, 'b' of 2x2x2 with 4 nodes; expected --machine \
             8, an array of the nodes of one torus after the other",
        ),
    ] {
        let message = built(text, machine, "").err().unwrap_or_default();
        assert_eq!(message, format!("'slurm-torus3d' cannot serve machine {machine}: {problem}"));
    }
}

/// Returns a topology with one torus, and `more` behind its name.
fn torus(more: &str) -> String {
    format!("- topology: t\n  torus3d:\n    toruses:\n    - name: a\n{more}")
}

/// Fails unless each text is refused for its problem, which is named with the line of the file.
fn assert_refused<const N: usize>(files: [(String, &str); N]) {
    for (text, problem) in files {
        let message = built(&text, "torus:4x2x1", "").err().unwrap_or_default();
        let expected = format!("parameter 'path' of 'slurm-torus3d': FILE:{problem}");
        assert!(message.starts_with(&expected), "{text}\n{message}");
    }
}

#[test]
fn mistakes_of_a_file_are_named_with_their_line() {
    assert_refused([
        (String::new(), "1: found nothing, expected a list of topologies"),
        ("toruses: 1\n".to_owned(), "1: found a mapping, expected a list of topologies"),
        ("- a\n".to_owned(), "1: found 'a', expected a topology with its keys"),
        (
            "- topology: t\n  flat: true\n".to_owned(),
            "1: found no topology with the key 'torus3d', expected one",
        ),
        ("- torus3d: [\n".to_owned(), "2: no YAML: "),
        (
            "- torus3d:\n    tori: 1\n".to_owned(),
            "2: found key 'tori', expected torus3d to have only: toruses",
        ),
        (
            "- torus3d: [toruses]\n".to_owned(),
            "1: found a list, expected torus3d to be a mapping with the keys toruses",
        ),
        ("- torus3d: {}\n".to_owned(), "1: torus3d has no 'toruses'; add it"),
        ("- torus3d: {toruses: []}\n".to_owned(), "1: found an empty list, expected a list of toruses"),
        (torus(""), "4: torus 'a' has no 'dims'; add it"),
        (torus("      dims: {x: 4, y: 2}\n"), "5: dims has no 'z'; add it"),
        (
            torus("      dims: {x: 0, y: 2, z: 1}\n"),
            "5: found '0', expected x of dims: a whole number from 1 to 16777216",
        ),
        (torus("      dims: 4x2\n"), "5: found '4x2', expected dims"),
        (
            torus("      dims: {x: 4096, y: 4096, z: 2}\n"),
            "5: found a torus of 33554432 cells, expected at most 16777216",
        ),
    ]);
}

#[test]
fn mistakes_of_a_torus_are_named_with_their_line() {
    let good = "      dims: {x: 4, y: 2, z: 1}\n      nodes: n[1-8]\n      placements:\n";
    let with = |placement: &str| torus(&format!("{good}      - {placement}\n"));
    let in_regions = |regions: &str| {
        torus(&format!(
            "      dims: {{x: 4, y: 2, z: 1}}\n      regions:\n{regions}      placements: [dims: {{x: 1, y: \
                 1, z: 1}}]\n"
        ))
    };
    let region = |x: u32, sides: u32, nodes: &str| {
        format!(
            "      - {{anchor: {{x: {x}, y: 0, z: 0}}, dims: {{x: {sides}, y: 2, z: 1}}, nodes: '{nodes}'}}\n"
        )
    };
    assert_refused([
        (
            torus("      dims: {x: 4, y: 2, z: 1}\n"),
            "4: torus 'a' has neither 'nodes' nor 'regions'; add one",
        ),
        (
            torus("      dims: {x: 4, y: 2, z: 1}\n      nodes: n[1-7]\n"),
            "6: found 7 nodes, expected 8, one for each cell of 4x2x1",
        ),
        (
            torus("      dims: {x: 4, y: 2, z: 1}\n      nodes: n[1-7],n3\n"),
            "6: found node 'n3', which has a cell already by line 6",
        ),
        (
            torus("      dims: {x: 4, y: 2, z: 1}\n      nodes: n[1-8\n"),
            "6: 'n[1-8' has brackets that do not match",
        ),
        (
            torus("      dims: {x: 4, y: 2, z: 1}\n      nodes: n[1-8]\n"),
            "4: torus 'a' has no 'placements'; add it",
        ),
        (
            torus("      dims: {x: 4, y: 2, z: 1}\n      nodes: n[1-8]\n      regions: 1\n"),
            "7: torus 'a' has 'nodes' and 'regions', expected only one of them",
        ),
        (
            with("dims: {x: 4, y: 4, z: 1}"),
            "8: found a placement of 4x4x1 on a torus of 4x2x1, expected at most 2 along y; boxes are not \
                 turned",
        ),
        (with("dims: {x: two, y: 1, z: 1}"), "8: found 'two', expected x of dims: a whole number from 1 to"),
        (with("anchor_seed: {x: 1, y: 1, z: 1}"), "8: the placement has no 'dims'; add it"),
        (
            with("{dims: {x: 1, y: 1, z: 1}, anchor_seed: {x: 4, y: 0, z: 0}}"),
            "8: found '4', expected x of anchor_seed: a whole number from 0 to 3",
        ),
        (
            with("{dims: {x: 1, y: 1, z: 1}, anchor_spacing: {x: 0, y: 1, z: 1}}"),
            "8: found '0', expected x of anchor_spacing: a whole number from 1 to",
        ),
        (
            with("{dims: {x: 1, y: 1, z: 1}, spacing: 2}"),
            "8: found key 'spacing', expected a placement to have only: dims, anchor_seed, anchor_spacing",
        ),
        (in_regions(&region(3, 2, "n[1-4]")), "7: found '2', expected x of dims: a whole number from 1 to 1"),
        (
            in_regions(&(region(0, 2, "n[1-4]") + &region(1, 1, "n[5-6]"))),
            "8: found node 'n5' for cell (1, 0, 0), in which node 'n2' is already; regions must not overlap",
        ),
    ]);
}
