//! What `scripts/bench` can do.

use serde_json::{Value, json};
use tilelint_tests::growth;

use crate::arguments::Options;
use crate::configuration::{Configuration, Setup};
use crate::measurement::{Measured, Run, json_of, this};
use crate::table;
use crate::vkcube;

/// The program that is not ours.
pub const VKCUBE: Run = Run { load: "vkcube", every_frame: false };
/// Draws of the frames of `--scale`.
const SIZES: [usize; 4] = [12_500, 25_000, 50_000, 100_000];

/// Every load in every configuration, as often as there are rounds.
///
/// # Errors
///
/// If a process fails, or was not what it was to be.
pub fn table(options: &Options) -> Result<(), String> {
    let setup = Setup::new();
    let mut measured = Measured::default();
    let wanted =
        |load: &str| options.only.is_empty() || options.only.iter().any(|name| name == load);
    let loads = table::loads();
    for name in &options.only {
        if name != VKCUBE.load && !loads.contains(&name.as_str()) {
            return Err(format!("{name:?} has no row; valid: {}", loads.join(", ")));
        }
    }
    for round in 1..=options.rounds {
        eprintln!("round {round} of {}", options.rounds);
        for &load in loads.iter().filter(|load| wanted(load)) {
            for configuration in Configuration::ALL {
                if setup.lacks(configuration).is_some() {
                    continue;
                }
                let run = Run { load, every_frame: false };
                measured.run(&setup, run, configuration, options.seconds)?;
                if load == "passes" && configuration.is_tilelint() {
                    let run = Run { every_frame: true, ..run };
                    measured.run(&setup, run, configuration, f64::INFINITY)?;
                }
            }
        }
        if wanted(VKCUBE.load) && vkcube::lacks(&setup).is_none() {
            for configuration in Configuration::ALL {
                if setup.lacks(configuration).is_none() {
                    let value = json!({"frame_ns": vkcube::frame_ns(&setup, configuration)?});
                    measured.keep(VKCUBE, configuration, value);
                }
            }
        }
    }
    let lacks = |load: &str, configuration: Configuration| {
        let missing = setup.lacks(configuration);
        let missing = missing.or_else(|| (load == VKCUBE.load).then(|| vkcube::lacks(&setup))?);
        missing.unwrap_or("-").to_owned()
    };
    if options.json {
        println!("{:#}", table::json(&measured, lacks));
    } else {
        table::print(&measured, lacks);
    }
    Ok(())
}

/// What a frame of `--scale` is measured by: the time that the program's thread was busy, and the
/// analysis of all frames.
const SCALE_KEYS: [&str; 5] = ["objects_ns", "record_ns", "submit_ns", "destroy_ns", "analysis_ns"];
/// Processes for each size; the least of them counts.
const SCALE_ROUNDS: usize = 3;
/// What takes less shows how clocks work, not how time grows.
const SEEN_NS: f64 = 1e5;

/// Frames of four sizes, and how time grows with size.
///
/// # Errors
///
/// If a process fails.
pub fn scale(as_json: bool) -> Result<(), String> {
    let setup = Setup::new();
    let mut rows: Vec<(Configuration, Vec<Value>)> = Vec::new();
    for configuration in [Configuration::None, Configuration::Default, Configuration::AllRules] {
        let values = SIZES.map(|size| scaled(&setup, configuration, size));
        rows.push((configuration, values.into_iter().collect::<Result<_, _>>()?));
    }
    let exponent = |values: &[Value], key: &str| {
        let points =
            SIZES.iter().zip(values).map(|(size, value)| (*size as f64, number(value, key)));
        growth::exponent(&points.collect::<Vec<_>>())
    };
    if as_json {
        let row = |(configuration, values): &(Configuration, Vec<Value>)| {
            let exponents = SCALE_KEYS.map(|key| (key.to_owned(), json!(exponent(values, key))));
            json!({"configuration": configuration.title(), "sizes": values,
                   "exponents": Value::Object(exponents.into_iter().collect())})
        };
        println!("{:#}", Value::Array(rows.iter().map(row).collect()));
        return Ok(());
    }
    println!(
        "| ms | draws | passes | images | descriptors | objects | record | submit | destroy | \
              analysis of all frames | peak MiB |"
    );
    println!("|{}", "---|".repeat(11));
    for (configuration, values) in &rows {
        for value in values {
            let counts = ["draws", "passes", "images", "descriptors"].map(|key| &value[key]);
            let counts = counts.map(Value::to_string).join(" | ");
            let times = SCALE_KEYS.map(|key| format!("{:.1}", number(value, key) / 1e6));
            let (times, peak) = (times.join(" | "), number(value, "peak_kib") / 1024.0);
            println!("| {} | {counts} | {times} | {peak:.0} |", configuration.title());
        }
        let exponents = SCALE_KEYS.map(|key| {
            let is_seen = values.iter().all(|value| number(value, key) >= SEEN_NS);
            if is_seen { format!("{:.2}", exponent(values, key)) } else { "-".to_owned() }
        });
        let exponents = exponents.join(" | ");
        println!("| {}: grows to the power of | | | | | {exponents} | |", configuration.title());
    }
    Ok(())
}

/// The least of some processes with frames of a size.
fn scaled(setup: &Setup, configuration: Configuration, size: usize) -> Result<Value, String> {
    let mut least: Option<Value> = None;
    for _ in 0..SCALE_ROUNDS {
        setup.forget();
        let mut command = setup.command(&this(), configuration);
        command.env("TILELINT_EVERY_FRAME", "on");
        command.args(["work", "scale", "--units", &size.to_string()]);
        let mut value = json_of(&mut command)?;
        setup.check(configuration, value["draw_at"].as_str().unwrap_or_default())?;
        for key in SCALE_KEYS {
            let before = least.as_ref().map(|least| number(least, key));
            value[key] = json!(number(&value, key).min(before.unwrap_or(f64::INFINITY)));
        }
        least = Some(value);
    }
    least.ok_or_else(|| "no process ran".to_owned())
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_default()
}

/// Object churn under tilelint; the resident memory is said while it runs.
///
/// # Errors
///
/// If the process fails, or was not linted to its end.
pub fn soak(minutes: f64) -> Result<(), String> {
    let setup = Setup::new();
    let mut command = setup.command(&this(), Configuration::Default);
    let seconds = (minutes * 60.0).to_string();
    let frames = u32::MAX.to_string();
    command.args(["work", "churn", "--seconds", &seconds, "--frames", &frames]);
    let status = command.status().map_err(|error| error.to_string())?;
    if !status.success() {
        return Err(format!("the program ended with {status}"));
    }
    let report = setup.report();
    let linting = report["devices"][0]["linting"].as_str().unwrap_or("no report was written");
    println!(
        "{} frames analysed, {} left out",
        report["frames"]["seen"], report["run"]["frames_not_analysed"]
    );
    if linting == "on" { Ok(()) } else { Err(linting.to_owned()) }
}
