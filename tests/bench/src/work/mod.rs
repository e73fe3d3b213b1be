//! The process that is measured: a load on the device that the loader finds, whatever layers are
//! there. It prints what it measured as one line of JSON.

mod churn;
mod commands;
mod frames;
mod gpu;
mod measure;
mod record;
mod scale;
mod scene;
mod threads;

use std::time::{Duration, Instant};

use ash::vk;
use serde_json::{Value, json};

use commands::SINGLES;
use frames::{Counted, IN_FLIGHT, Slot, Times};
use gpu::Gpu;
use measure::{Spread, status_kib, thread_ns};
use record::{DRAWS_PER_PASS, ENGINE_PASSES, Recorder};
use scene::Scene;

pub use scale::lint;

/// The name of tilelint's own thread.
const ANALYSIS: &str = "tilelint";
/// Frames that are not measured, at the start.
const N_WARM: usize = 3;

/// What is recorded each frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// Draws of one pass.
    Draws,
    /// Draws, each after a bind of a descriptor set.
    Changes,
    /// Binds of descriptor sets.
    Binds,
    /// Binds of pipelines.
    Pipelines,
    /// Passes of twenty draws.
    Passes,
    /// Pipeline barriers of one image.
    Barriers,
    /// Passes of nothing.
    Empty,
    /// Draws of four threads together.
    Threads,
    /// Draws of an engine-like frame: 12 passes, 3 submits.
    Engine,
    /// One of [`SINGLES`].
    Single(usize),
}

/// Names of the loads, and how many of its unit each has in a frame.
const LOADS: [(&str, Load, usize); 9] = [
    ("draws", Load::Draws, 20_000),
    ("changes", Load::Changes, 20_000),
    ("binds", Load::Binds, 20_000),
    ("pipelines", Load::Pipelines, 20_000),
    ("passes", Load::Passes, 200),
    ("barriers", Load::Barriers, 2_000),
    ("empty", Load::Empty, 10_000),
    ("threads", Load::Threads, 20_000),
    ("engine", Load::Engine, 2_000),
];

/// What the command line asks for.
#[derive(Clone, Debug)]
pub struct Plan {
    /// `draws` and so on, `churn` or `scale`.
    pub load: String,
    /// Units in a frame; as the load has it where 0.
    pub units: usize,
    /// Frames that are measured, at most.
    pub frames: usize,
    /// After this time no frame is begun.
    pub seconds: f64,
    /// `record` or `submit`, of `scale` `objects` or `destroy`: what an outside counter counts.
    pub counted: Option<String>,
}

/// Runs a load and returns what it measured.
///
/// # Errors
///
/// Names a load that does not exist.
pub fn run(plan: &Plan) -> Result<Value, String> {
    match plan.load.as_str() {
        "churn" => return Ok(churn::run(plan)),
        "scale" => return Ok(scale::run(plan)),
        _ => {}
    }
    let (load, units) = find(&plan.load)?;
    let units = if plan.units == 0 { units } else { plan.units };
    if load == Load::Threads {
        return Ok(threads::run(plan, units));
    }
    let gpu = Gpu::open();
    let draw_at = gpu.draw_at();
    let scene = Scene::new(&gpu);
    let slots = [(); IN_FLIGHT].map(|()| Slot::new(&gpu));
    prepare(&gpu, &scene, &slots[0]);
    let n_submits = if load == Load::Engine { 3 } else { 1 };
    let mut times = Times::default();
    let start = Instant::now();
    let counts = match plan.counted.as_deref() {
        Some("record") => Counted::Record,
        Some("submit") => Counted::Submit,
        _ => Counted::Nothing,
    };
    for n in 0..N_WARM + plan.frames {
        if n == N_WARM {
            times = Times::default();
        }
        if n > N_WARM && start.elapsed().as_secs_f64() > plan.seconds {
            break;
        }
        let counts = if n < N_WARM { Counted::Nothing } else { counts };
        if counts != Counted::Nothing {
            // A count does not depend on how far the analysis came.
            drained(&gpu);
        }
        frame(&gpu, &scene, &slots[n % IN_FLIGHT], (load, units), &mut times, counts);
    }
    // SAFETY: the device lives.
    unsafe { gpu.device.device_wait_idle() }.expect("the device is idle");
    let peak_kib = status_kib("VmHWM");
    let n_frames = times.record.len();
    slots.into_iter().for_each(|slot| slot.destroy(&gpu));
    scene.destroy(&gpu);
    let analysis_ns = drained(&gpu);
    gpu.close();
    let spread = |values: Vec<f64>, n: usize| Spread::of(values).json(n);
    Ok(json!({
        "load": plan.load,
        "units": units,
        "frames": n_frames,
        "draw_at": draw_at,
        "unit_ns": spread(times.record.clone(), units),
        "submit_ns": spread(times.submit.clone(), n_submits),
        "frame_ns": spread(times.whole(), 1),
        "analysis_ns": analysis_ns / (n_frames + N_WARM) as f64,
        "peak_kib": peak_kib,
    }))
}

/// The load of a name, and how many of its unit it has in a frame.
fn find(name: &str) -> Result<(Load, usize), String> {
    let single = SINGLES.iter().position(|single| single.name == name);
    let single = single.map(|at| (Load::Single(at), 20_000));
    let load = LOADS.iter().find(|(load, ..)| *load == name);
    let load = load.map(|(_, load, units)| (*load, *units)).or(single);
    load.ok_or_else(|| format!("no load is called {name:?}"))
}

/// Nanoseconds that the analysis ran, once it has nothing more to do.
fn drained(gpu: &Gpu) -> f64 {
    // SAFETY: the device lives.
    unsafe { gpu.device.device_wait_idle() }.expect("the device is idle");
    let (mut last, mut n_same) = (thread_ns(ANALYSIS), 0);
    // On a busy machine it may get no processor for a while.
    while n_same < 5 {
        std::thread::sleep(Duration::from_millis(50));
        let now = thread_ns(ANALYSIS);
        n_same = if now == last { n_same + 1 } else { 0 };
        last = now;
    }
    last as f64
}

/// Brings the sampled images into their layout.
fn prepare(gpu: &Gpu, scene: &Scene, slot: &Slot) {
    slot.begin(gpu, 1);
    let recorder = Recorder { gpu, scene, buffer: slot.buffers[0] };
    recorder.whole(|r| r.barrier(&scene.transitions(vk::ImageLayout::UNDEFINED)));
    slot.submit(gpu, 1, false);
}

/// One frame.
fn frame(
    gpu: &Gpu,
    scene: &Scene,
    slot: &Slot,
    (load, units): (Load, usize),
    times: &mut Times,
    counts: Counted,
) {
    let recorders = slot.buffers.map(|buffer| Recorder { gpu, scene, buffer });
    let (n_buffers, apart) = if load == Load::Engine { (3, true) } else { (1, false) };
    slot.begin(gpu, n_buffers);
    let target = &scene.target;
    let record = || match load {
        Load::Engine => {
            for recorder in &recorders[..n_buffers] {
                recorder.whole(|r| r.engine(ENGINE_PASSES / n_buffers, units / n_buffers));
            }
        }
        _ => recorders[0].whole(|r| match load {
            Load::Draws => r.pass(target, |r| r.draws(units)),
            Load::Changes => r.pass(target, |r| r.changes(units)),
            Load::Binds => r.pass(target, |r| r.binds(units)),
            Load::Pipelines => r.pass(target, |r| r.pipelines(units)),
            Load::Passes => (0..units).for_each(|_| r.pass(target, |r| r.draws(DRAWS_PER_PASS))),
            Load::Empty => (0..units).for_each(|_| r.pass(target, |_| {})),
            Load::Single(at) => r.singles(&SINGLES[at], units),
            _ => r.barriers(units),
        }),
    };
    times.frame(counts, record, || slot.submit(gpu, n_buffers, apart));
}
