//! Orders of nodes: published examples, bijection, continuity.

use meshreplay_machine::machine::order::{self, ORDERS, Order};
use meshreplay_machine::machine::{Coord, Mesh};

fn order(name: &str, machine: &str) -> (Order, Mesh) {
    let mesh: Mesh = machine.parse().expect("a machine");
    (order::build(name, &mesh).expect("an order"), mesh)
}

fn coords(name: &str, machine: &str) -> Vec<Coord> {
    let (order, mesh) = order(name, machine);
    order.nodes().iter().map(|&node| mesh.coord(node)).collect()
}

/// Checks the first nodes of an order; `expected` has the notation of papers: `(0,0)(1,0)…`.
fn begins(name: &str, machine: &str, expected: &str) {
    let found: String =
        coords(name, machine)
            .iter()
            .map(|[x, y, z]| {
                if machine.matches('x').count() < 2 { format!("({x},{y})") } else { format!("({x},{y},{z})") }
            })
            .collect();
    assert!(found.starts_with(expected), "{name} on {machine}: {found}");
}

/// Every shape of one to three dimensions with sides up to `most`.
fn shapes(most: u32) -> impl Iterator<Item = Mesh> {
    let sides = move || 1..=most;
    let lines = sides().map(|x| vec![x]);
    let planes = sides().flat_map(move |x| sides().map(move |y| vec![x, y]));
    let boxes = sides().flat_map(move |x| sides().flat_map(move |y| sides().map(move |z| vec![x, y, z])));
    lines.chain(planes).chain(boxes).map(|extents| Mesh::new(&extents).expect("a shape"))
}

#[test]
fn orders_are_the_published_ones() {
    begins("row-major", "3x2", "(0,0)(1,0)(2,0)(0,1)(1,1)(2,1)");
    begins("column-major", "3x2", "(0,0)(0,1)(1,0)(1,1)(2,0)(2,1)");
    begins("row-snake", "3x2", "(0,0)(1,0)(2,0)(2,1)(1,1)(0,1)");
    begins("column-snake", "3x2", "(0,0)(0,1)(1,1)(1,0)(2,0)(2,1)");
    begins("column-snake", "2x2", "(0,0)(0,1)(1,1)(1,0)");
    begins("column-snake", "2x2x2", "(0,0,0)(0,0,1)(0,1,1)(0,1,0)(1,1,0)(1,1,1)(1,0,1)(1,0,0)");
    begins("row-snake", "2x2x2", "(0,0,0)(1,0,0)(1,1,0)(0,1,0)(0,1,1)(1,1,1)(1,0,1)(0,0,1)");
    begins("column-snake", "4x3x2", "(0,0,0)(0,0,1)(0,1,1)(0,1,0)(0,2,0)(0,2,1)(1,2,1)(1,2,0)(1,1,0)(1,1,1)");
    begins("hilbert", "2x2", "(0,0)(0,1)(1,1)(1,0)");
    begins(
        "hilbert",
        "4x4",
        "(0,0)(1,0)(1,1)(0,1)(0,2)(0,3)(1,3)(1,2)(2,2)(2,3)(3,3)(3,2)(3,1)(2,1)(2,0)(3,0)",
    );
    begins("hilbert", "4x2", "(0,0)(0,1)(1,1)(1,0)(2,0)(2,1)(3,1)(3,0)");
    begins("hilbert", "2x4", "(0,0)(1,0)(1,1)(0,1)(0,2)(1,2)(1,3)(0,3)");
    begins("spliced-hilbert", "3x3", "(0,0)(0,1)(1,1)(1,0)(0,2)(1,2)(2,0)(2,1)(2,2)");
    begins("hilbert", "2x2x2", "(0,0,0)(0,0,1)(0,1,1)(0,1,0)(1,1,0)(1,1,1)(1,0,1)(1,0,0)");
    begins("zoltan-hilbert", "20x4", "(0,0)(1,0)(2,0)(3,0)(4,0)(2,1)(1,1)(0,1)(4,1)(3,1)");
}

#[test]
fn curves_end_where_they_are_said_to() {
    for n in 0..=6 {
        let side = 1 << n;
        assert_eq!(coords("hilbert", &format!("{side}x{side}")).last(), Some(&[side - 1, 0, 0]));
    }
    for side in [2, 4, 8, 16] {
        let cube = format!("{side}x{side}x{side}");
        assert_eq!(coords("hilbert", &cube).last(), Some(&[side - 1, 0, 0]));
        assert_eq!(coords("zoltan-hilbert", &cube).last(), Some(&[0, 0, side - 1]));
    }
    assert_eq!(coords("zoltan-hilbert", "20x4").last(), Some(&[0, 3, 0]));
    assert_eq!(coords("gilbert", "20x4").last(), Some(&[19, 0, 0]));
    assert_eq!(coords("hilbert", "20x4").last(), Some(&[19, 0, 0]));
}

#[test]
fn the_zoltan_order_of_20x4_jumps_up_to_five_hops() {
    let (order, mesh) = order("zoltan-hilbert", "20x4");
    assert_eq!(order.jumps(&mesh).map(|(_, hops)| hops).max(), Some(5));
}

#[test]
fn every_order_is_a_bijection_and_continuous_where_promised() {
    for mesh in shapes(9) {
        for entry in ORDERS {
            let Ok(order) = entry.build(&mesh) else {
                assert_eq!((entry.name, mesh.dims()), ("spliced-hilbert", 3), "{mesh}");
                continue;
            };
            assert_eq!(order.len(), mesh.nodes() as usize, "{} on {mesh}", entry.name);
            for rank in 0..mesh.nodes() {
                assert_eq!(order.rank_of(order.node_at(rank)), rank, "{} on {mesh}", entry.name);
            }
            assert_eq!(order.node_at(0), 0, "{} on {mesh} starts elsewhere", entry.name);
            if (entry.continuous)(&mesh) {
                assert!(order.is_continuous(&mesh), "{} jumps on {mesh}", entry.name);
            }
        }
    }
}

#[test]
fn gilbert_takes_diagonal_steps_only_where_sides_are_odd() {
    for long in 1..=40 {
        for short in 1..=long {
            let (order, mesh) = order("gilbert", &format!("{long}x{short}"));
            let jumps: Vec<u32> = order.jumps(&mesh).map(|(_, hops)| hops).collect();
            let diagonal = long % 2 == 1 && short % 2 == 0 && short > 2;
            assert_eq!(jumps, vec![2; usize::from(diagonal)], "{mesh}");
        }
    }
    for mesh in shapes(12).filter(|mesh| mesh.extents().iter().all(|&side| side > 1)) {
        let order = order::build("gilbert", &mesh).expect("an order");
        assert!(order.jumps(&mesh).all(|(_, hops)| hops == 2), "{mesh}");
        assert!(10 * order.jumps(&mesh).count() < order.len(), "{mesh}");
    }
}

#[test]
fn a_machine_on_its_side_is_ordered_as_its_mirror_image() {
    for entry in ORDERS {
        for (machine, turned) in [("16x8", "8x16"), ("7x3", "3x7"), ("20x4", "4x20")] {
            let mirrored: Vec<Coord> =
                coords(entry.name, turned).iter().map(|[x, y, z]| [*y, *x, *z]).collect();
            assert_eq!(coords(entry.name, machine), mirrored, "{} on {machine}", entry.name);
        }
        assert_eq!(coords(entry.name, "torus:6x4"), coords(entry.name, "6x4"), "{}", entry.name);
    }
}

/// The reason why walker-2010 has the same figures for both curves on 128x8, where all job sizes are
/// multiples of 32.
#[test]
fn blocks_of_32_ranks_are_the_same_nodes_on_both_recommended_curves() {
    for width in [8, 16, 32, 128] {
        let (hilbert, mesh) = order("spliced-hilbert", &format!("{width}x8"));
        let snake = order::build("column-snake", &mesh).expect("an order");
        let blocks = |order: &Order, size: usize| -> Vec<Vec<u32>> {
            let sorted = |block: &[u32]| {
                let mut block = block.to_vec();
                block.sort_unstable();
                block
            };
            order.nodes().chunks(size).map(sorted).collect()
        };
        assert_eq!(blocks(&hilbert, 32), blocks(&snake, 32), "{mesh}");
        assert_ne!(blocks(&hilbert, 16), blocks(&snake, 16), "{mesh}");
    }
}

/// Reference implementation: the Hilbert key of one point, bit by bit (Skilling 2004).
fn hilbert_key(mut at: Vec<u32>, bits: u32) -> u128 {
    let last = at.len() - 1;
    for q in (1..bits).rev().map(|bit| 1 << bit) {
        for i in 0..at.len() {
            if at[i] & q == 0 {
                let exchanged = (at[0] ^ at[i]) & (q - 1);
                at[0] ^= exchanged;
                at[i] ^= exchanged;
            } else {
                at[0] ^= q - 1;
            }
        }
    }
    for i in 1..at.len() {
        at[i] ^= at[i - 1];
    }
    let flips =
        (1..bits).filter(|bit| at[last] >> bit & 1 == 1).fold(0, |flips, bit| flips ^ ((1 << bit) - 1));
    let bit = |word: u32, bit: u32| u128::from((word ^ flips) >> bit & 1);
    (0..bits).rev().flat_map(|b| at.iter().map(move |&word| bit(word, b))).fold(0, |key, bit| key << 1 | bit)
}

/// Every coordinate of a machine whose sides do not grow from x to z, sorted by `key`.
fn sorted_by_key(mesh: &Mesh, key: impl Fn(Coord) -> u128) -> Vec<Coord> {
    let mut all: Vec<Coord> = (0..mesh.nodes()).map(|node| mesh.coord(node)).collect();
    all.sort_by_key(|&at| key(at));
    all
}

#[test]
fn hilbert_orders_are_sorted_by_hilbert_keys() {
    let tall = |mesh: &Mesh| mesh.extents().is_sorted_by(|a, b| a >= b);
    for mesh in shapes(9).filter(tall) {
        let [width, length, depth] = mesh.extents();
        let bits = width.next_power_of_two().trailing_zeros();
        if depth > 1 || width == length && width.is_power_of_two() {
            let dims = if depth > 1 { 3 } else { 2 };
            let expected = sorted_by_key(&mesh, |at| hilbert_key(at[..dims].to_vec(), bits));
            assert_eq!(coords("hilbert", &mesh.to_string()), expected, "{mesh}");
        }
    }
}

#[test]
fn zoltan_orders_are_sorted_by_keys_of_stretched_coordinates() {
    let stretched = |i: u32, extent: u32| {
        let last = f64::from(extent - 1);
        let margin = 1.6e-7 * last;
        let unit = if extent == 1 { 0.0 } else { (f64::from(i) + margin) / (last + 2.0 * margin) };
        (unit * f64::from(u32::MAX)) as u32 >> 4
    };
    for (width, length) in (1..=40).flat_map(|width| (1..=width).map(move |length| (width, length))) {
        let mesh = Mesh::new(&[width, length]).expect("a shape");
        let key = |[x, y, _]: Coord| hilbert_key(vec![stretched(y, length), stretched(x, width)], 28);
        assert_eq!(coords("zoltan-hilbert", &mesh.to_string()), sorted_by_key(&mesh, key), "{mesh}");
    }
}
