//! Tests of instants.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

fn clock(zone: &str) -> Clock {
    let spec = if zone.is_empty() { "table".to_owned() } else { format!("table:time-zone={zone}") };
    let spec: meshreplay_base::spec::Spec = spec.parse().expect("a spec");
    Clock::take(&mut Params::new(&spec)).expect("a zone")
}

#[test]
fn every_spelling_is_the_same_instant() {
    for text in [
        "2024-05-01T12:00:00",
        "2024-05-01 12:00:00",
        "2024-05-01 12:00",
        "2024-05-01T12:00:00Z",
        "2024-05-01T14:00:00+02:00",
        "2024-05-01T06:30:00-0530",
        "2024-05-01 12:00:00 UTC",
        "2024/05/01 12:00:00",
        "05/01/2024 12:00:00",
        "5/1/2024 12:00",
        "5/1/2024 12:00 PM",
        "05-01-2024 12:00:00.000",
        "5/1/2024, 12:00:00 pm",
        "01.05.2024 12:00:00",
        "1.7145648e+09",
        "1714564800",
        "1714564800.4",
        "2024-05-01T11:59:59.5",
        "2024-05-01T12:00:00.499999Z",
        "  2024-05-01T12:00:00 ",
        "2024-05-01T11:59:60",
    ] {
        assert_eq!(clock("").instant(text.as_bytes()), Ok(Some(1_714_564_800)), "{text}");
    }
    assert_eq!(clock("").instant(b"2024-05-01"), Ok(Some(1_714_521_600)));
    for text in ["", "Unknown", "None", "N/A", "NaT", "-"] {
        assert_eq!(clock("").instant(text.as_bytes()), Ok(None), "{text}");
    }
}

#[test]
fn what_is_no_instant_is_refused() {
    for text in [
        "x",
        "2024-13-01",
        "2024-02-30T00:00:00",
        "2023-02-29",
        "2024-05-01T24:00:00",
        "2024-05-01T12:60:00",
        "2024-05-01T12:00:00+xx",
        "2024-05-01T12:00:00.",
        "2024-5-1",
        "5/1/24",
        "05/01/2024 13:00 PM",
        "05/01/2024 0:00 AM",
        "13/13/2024",
        "1714564800000",
        "12:00:00",
    ] {
        assert!(clock("").instant(text.as_bytes()).is_err(), "{text}");
    }
}

#[test]
fn hours_of_twelve_and_single_digits_are_read() {
    for (text, expected) in [
        ("10/20/2026 0:02", 1_792_454_520),
        ("10/20/2026 12:02 AM", 1_792_454_520),
        ("10/20/2026 12:02 PM", 1_792_497_720),
        ("10/20/2026 1:02:03 PM", 1_792_501_323),
    ] {
        assert_eq!(clock("").instant(text.as_bytes()), Ok(Some(expected)), "{text}");
    }
}

#[test]
fn the_order_of_dates_is_given_or_noted() {
    let mut first_of_may = clock("UTC");
    assert_eq!(first_of_may.instant(b"05/01/2024"), Ok(Some(1_714_521_600)));
    assert_eq!(first_of_may.instant(b"05/05/2024"), Ok(Some(1_714_867_200)));
    assert_eq!(first_of_may.notes().len(), 1);
    let error = first_of_may.exact_instant(b"13/05/2024", SECONDS, None);
    assert_eq!(error, Err(InstantError::Order(DateOrder::MonthFirst)));
    let spec: meshreplay_base::spec::Spec = "table:time-zone=UTC,dates=day-first".parse().expect("a spec");
    let mut day_first = Clock::take(&mut Params::new(&spec)).expect("an order");
    assert_eq!(day_first.instant(b"01/05/2024 0:00"), Ok(Some(1_714_521_600)));
    assert!(day_first.instant(b"05/13/2024").is_err_and(|expected| expected.contains("month-first")));
    assert!(day_first.notes().is_empty());
    assert!("table:dates=year-first".parse().is_ok_and(|spec| Clock::take(&mut Params::new(&spec)).is_err()));
}

#[test]
fn numbers_have_units_and_instants_microseconds() {
    let millis = TimeUnit::find("ms").expect("a unit");
    let exact = |text: &str, unit| clock("UTC").exact_instant(text.as_bytes(), unit, None);
    let micros = |text: &str, unit| exact(text, unit).ok().flatten().map(|instant| instant.micros);
    assert_eq!(micros("1714564800125", millis), Some(1_714_564_800_125_000));
    assert_eq!(micros("1714564800.125", SECONDS), Some(1_714_564_800_125_000));
    assert_eq!(micros("2024-05-01T12:00:00.125", SECONDS), Some(1_714_564_800_125_000));
    assert_eq!(exact("1714564800125", SECONDS), Err(InstantError::TooLarge));
    for (text, is_absolute, is_epoch) in [
        ("0", false, true),
        ("1970-01-01 01:00:00", false, true),
        ("12", false, false),
        ("1714564800", true, false),
        ("1980-01-01", true, false),
    ] {
        let instant = exact(text, SECONDS).ok().flatten().expect(text);
        assert_eq!((instant.is_absolute(), instant.is_epoch()), (is_absolute, is_epoch), "{text}");
    }
}

#[test]
fn zones_count_and_clocks_that_are_put_back_are_noted() {
    let mut berlin = clock("Europe/Berlin");
    assert_eq!(berlin.instant(b"2024-05-01T14:00:00"), Ok(Some(1_714_564_800)));
    assert_eq!(berlin.instant(b"2024-01-01T01:00:00"), Ok(Some(1_704_067_200)));
    assert_eq!(berlin.counts.ambiguous, 0);
    // 02:30 occurs twice on 2024-10-27, and never on 2024-03-31.
    assert_eq!(berlin.instant(b"2024-10-27T02:30:00"), Ok(Some(1_729_989_000)));
    assert_eq!(berlin.instant(b"2024-03-31T02:30:00"), Ok(Some(1_711_848_600)));
    assert_eq!((berlin.counts.ambiguous, berlin.counts.local), (2, 4));
    // What was not before 02:40 of summer time is at 02:30 of winter time.
    assert_eq!(berlin.instant_after(b"2024-10-27T02:30:00", Some(1_729_989_600)), Ok(Some(1_729_992_600)));
    assert_eq!(berlin.instant_after(b"2024-10-27T02:30:00", Some(1_729_989_000)), Ok(Some(1_729_989_000)));
    // No other reading helps here.
    assert_eq!(berlin.instant_after(b"2024-10-28T02:30:00", Some(1_800_000_000)), Ok(Some(1_730_079_000)));
    assert_eq!(berlin.instant_after(b"", Some(0)), Ok(None));
    assert_eq!((berlin.zone_name().as_deref(), berlin.notes().len()), (Some("Europe/Berlin"), 0));
    let mut guessed = clock("");
    assert_eq!(guessed.instant(b"2024-05-01T12:00:00Z"), Ok(Some(1_714_564_800)));
    assert_eq!((guessed.zone_name(), guessed.notes().len()), (None, 0));
    assert_eq!(guessed.instant(b"2024-05-01T12:00:00.25"), Ok(Some(1_714_564_800)));
    assert_eq!(
        (guessed.zone_name().as_deref(), guessed.notes().len(), guessed.counts.rounded),
        (Some("UTC"), 1, 1)
    );
    let spec: meshreplay_base::spec::Spec = "table:time-zone=Mars/Olympus".parse().expect("a spec");
    assert!(Clock::take(&mut Params::new(&spec)).is_err());
    assert_eq!(clock("+02:00").instant(b"2024-05-01T14:00:00"), Ok(Some(1_714_564_800)));
}

#[test]
fn random_local_times_are_those_of_jiff() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for name in ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Apia", "Australia/Lord_Howe"] {
        let zone = TimeZone::get(name).expect("a zone");
        let mut clock = clock(name);
        for _ in 0..20_000 {
            let unix_s = rng.random_range(0..4_000_000_000_i64);
            let civil = zone.to_datetime(Timestamp::from_second(unix_s).expect("in range"));
            let text = civil.strftime("%Y-%m-%dT%H:%M:%S").to_string();
            let expected = zone.to_ambiguous_timestamp(civil).compatible().expect("in range").as_second();
            assert_eq!(clock.instant(text.as_bytes()), Ok(Some(expected)), "{text} {name}");
        }
    }
}
