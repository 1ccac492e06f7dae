//! Tests of films: what they show at which time, how long they are, and that they are known as the program's own.

use gif::{ColorOutput, DecodeOptions, Repeat};

use super::*;
use crate::{PlayedReplay, Strip};
use meshreplay_figures::{MARKED, is_marked};
use meshreplay_results::frame::{Down, PlacedJob};
use meshreplay_sim::metrics::JobRow;

/// Returns a film of 12 s in which job 7 has nodes 0, 1 and 4 of a machine of 4x2 nodes from 2 to 6 of 10 s, and in which node
/// 3 is down from 5 s on and node 7 is unavailable.
fn film() -> Film {
    let row = JobRow { number: 7, submit_s: 1.0, start_s: 2.0, end_s: 6.0, procs: 3, ..JobRow::default() };
    let job = PlacedJob { row, nodes: vec![(0, 1), (4, 4)], killed_in: None };
    let replay = PlayedReplay {
        name: "a <b>".to_owned(),
        colour: "#0095ff",
        strip: Strip { queue: vec![3, 0], busy: vec![500, 0] },
        extents: [4, 2, 1],
        wraps: [false; 3],
        blocks: None,
        unavailable: vec![(7, 7)],
        down: vec![Down { from_s: 5.0, until_s: f64::INFINITY, nodes: vec![(3, 3)] }],
        jobs: vec![job],
    };
    let played = Played { window_s: (0.0, 10.0), clock: None, note: String::new(), replays: vec![replay] };
    Film { played, length_s: 12.0 }
}

/// Returns the pictures of a GIF file as they are seen, each with its end in hundredths of a second.
fn pictures(bytes: &[u8]) -> Result<Vec<(u32, Vec<u8>)>, gif::DecodingError> {
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::Indexed);
    let mut decoder = options.read_info(bytes)?;
    let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
    let (mut screen, mut now, mut found) = (vec![0; width * height], 0, Vec::new());
    while let Some(frame) = decoder.read_next_frame()? {
        for (y, row) in frame.buffer.chunks(usize::from(frame.width)).enumerate() {
            for (x, &pixel) in row.iter().enumerate().filter(|(_, pixel)| **pixel != canvas::UNCHANGED) {
                screen[(usize::from(frame.top) + y) * width + usize::from(frame.left) + x] = pixel;
            }
        }
        now += u32::from(frame.delay);
        found.push((now, screen.clone()));
    }
    assert_eq!(decoder.repeat(), Repeat::Infinite);
    Ok(found)
}

#[test]
fn pictures_show_who_has_which_node() -> Result<(), Box<dyn std::error::Error>> {
    let film = film();
    let bytes = pixels::gif(&film)?;
    assert_eq!(bytes, pixels::gif(&film)?, "the same bytes each time");
    assert!(is_marked(&bytes[..MARKED.min(bytes.len())]));
    let pictures = pictures(&bytes)?;
    assert_eq!(pictures.last().map(|(end, _)| *end), Some(1200), "as long as wanted");
    let layout = layout::Layout::of(&film.played)?;
    let place = layout.places[0];
    let job = canvas::FIRST_JOB + 7;
    // The seconds of the film and of the replay are the same here, up to the last two of the film.
    for (time_s, expected) in [
        (1.0, [canvas::FREE; 7]),
        (3.0, [job, job, canvas::FREE, canvas::FREE, job, canvas::FREE, canvas::FREE]),
        (5.5, [job, job, canvas::FREE, canvas::DOWN, job, canvas::FREE, canvas::FREE]),
        (
            11.0,
            [
                canvas::FREE,
                canvas::FREE,
                canvas::FREE,
                canvas::DOWN,
                canvas::FREE,
                canvas::FREE,
                canvas::FREE,
            ],
        ),
    ] {
        let (_, screen) =
            pictures.iter().find(|(end, _)| f64::from(*end) > 100.0 * time_s).ok_or("too short")?;
        let at = |node: u32| {
            let [x, y] = place.square(node);
            let middle = layout.side / 2;
            screen[(place.squares_top() + y * layout.side + middle) * layout.width
                + place.left
                + x * layout.side
                + middle]
        };
        assert_eq!([0, 1, 2, 3, 4, 5, 6].map(at), expected, "at {time_s} s");
        assert_eq!(at(7), canvas::PAPER, "an unavailable node is outlined");
    }
    Ok(())
}

#[test]
fn drawings_display_jobs_while_they_run() -> Result<(), Box<dyn std::error::Error>> {
    let text = String::from_utf8(drawing::svg(&film())?)?;
    assert!(is_marked(text.as_bytes()) && text.contains("a &lt;b&gt;") && !text.contains("a <b>"));
    let document = resvg::usvg::roxmltree::Document::parse(&text)?;
    let colour = colours::named(colours::job(7));
    let job = document.descendants().find(|node| node.attribute("fill") == Some(&colour)).ok_or("no job")?;
    assert_eq!(job.attribute("d"), Some("M0 1h2v1h-2zM0 0h1v1h-1z"));
    let plays = job.first_element_child().ok_or("no animation")?;
    // 2 and 6 of 10 s, in a film of which 10 of 12 s pass before the last picture stays.
    assert_eq!(plays.attribute("keyTimes"), Some("0;0.16667;0.5"));
    assert_eq!((plays.attribute("values"), plays.attribute("dur")), (Some("none;inline;none"), Some("12s")));
    let down = colours::named(colours::DOWN);
    let down =
        document.descendants().find(|node| node.attribute("fill") == Some(&down)).ok_or("none down")?;
    let plays = down.first_element_child().ok_or("no animation")?;
    assert_eq!(
        (plays.attribute("keyTimes"), plays.attribute("values")),
        (Some("0;0.41667"), Some("none;inline"))
    );
    let words: Vec<&str> = document.descendants().filter_map(|node| node.text()).collect();
    for expected in
        ["up to 3 waiting, 0 % busy", "up to 3 waiting, 43 % busy", "0 waiting, 43 % busy", "day 0, 00:00:09"]
    {
        assert!(words.contains(&expected), "{expected}: {words:?}");
    }
    Ok(())
}

#[test]
fn nodes_change_when_words_do() -> Result<(), Box<dyn std::error::Error>> {
    // Pictures stand a tenth of a second apart: 2.1 and 6.1 of 10 s, which are 10 of 12 s of the film.
    for (times_s, expected) in [([1.0, 2.03, 6.01], Some("0;0.175;0.50833")), ([1.0, 2.03, 2.08], None)] {
        let mut film = film();
        film.played.replays[0].jobs[0].row =
            JobRow { number: 7, start_s: times_s[1], end_s: times_s[2], ..JobRow::default() };
        let text = String::from_utf8(drawing::svg(&film)?)?;
        let document = resvg::usvg::roxmltree::Document::parse(&text)?;
        let colour = colours::named(colours::job(7));
        let job = document.descendants().find(|node| node.attribute("fill") == Some(&colour));
        let plays = job.and_then(|job| job.first_element_child()?.attribute("keyTimes"));
        assert_eq!(plays, expected);
        assert_eq!(
            text.contains("0 waiting, 43 % busy") || text.contains("up to 3 waiting, 43 % busy"),
            expected.is_some()
        );
    }
    Ok(())
}

#[test]
fn every_format_is_found_by_its_extension() {
    for format in FILM_FORMATS {
        let file = Path::new("a.b").with_extension(format.name.to_uppercase());
        assert_eq!(film_format(&file).map(|found| found.name).ok(), Some(format.name));
    }
    let said = film_format(Path::new("film.png")).map_or_else(|error| error.to_string(), |_| String::new());
    assert_eq!(said, "film.png: expected a name that ends in .gif or .svg");
}

#[test]
fn layers_and_rows_have_squares_of_their_own() {
    for extents in [[4, 3, 5], [100, 1, 1], [7, 1, 2], [1, 9, 1]] {
        let mut film = film();
        film.played.replays[0].extents = extents;
        let layout = layout::Layout::of(&film.played).expect("it is small");
        let place = layout.places[0];
        let mut squares: Vec<[usize; 2]> =
            (0..extents.iter().product()).map(|node| place.square(node)).collect();
        assert!(squares.iter().all(|[x, y]| *x < place.across && *y < place.down), "{extents:?}");
        squares.sort_unstable();
        squares.dedup();
        assert_eq!(squares.len() as u32, extents.iter().product::<u32>(), "{extents:?}");
    }
}
