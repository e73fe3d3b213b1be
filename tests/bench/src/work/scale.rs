//! Frames of growing size: through Vulkan for a clock, through the library for a counter.

use std::fmt::Write;
use std::time::Instant;

use ash::vk;
use serde_json::{Value, json};
use tilelint::call::listing;
use tilelint::config::Config;

use super::frames::Slot;
use super::gpu::Gpu;
use super::measure::{busy_ns, counted, status_kib};
use super::record::Recorder;
use super::scene::{COLOR, N_IMAGES, Scene, Target, descriptor_sets};
use super::{Plan, drained, prepare};

/// Frames of a run: a verdict takes three, and the first and last are not whole.
const N_FRAMES: usize = 5;

/// What a frame of a size has.
struct Size {
    draws: usize,
    passes: usize,
    images: usize,
    sets: usize,
}

impl Size {
    /// By the draws: at 100,000 of them, 2,000 passes, 50,000 images, 500,000 descriptors.
    fn of(draws: usize) -> Size {
        let sets = (draws * 5).div_ceil(N_IMAGES as usize);
        Size { draws, passes: (draws / 50).max(1), images: draws / 2, sets }
    }
}

/// What a frame of a size draws with.
struct Objects {
    images: Vec<vk::Image>,
    views: Vec<vk::ImageView>,
    memory: vk::DeviceMemory,
    pool: vk::DescriptorPool,
    sets: Vec<vk::DescriptorSet>,
    targets: Vec<Target>,
}

impl Objects {
    fn new(gpu: &Gpu, scene: &Scene, size: &Size) -> Objects {
        let image = |_| gpu.image(COLOR, 8, 1, vk::ImageUsageFlags::SAMPLED);
        let images: Vec<_> = (0..size.images).map(image).collect();
        let memory = gpu.bind(&images);
        let views: Vec<_> = images.iter().map(|image| gpu.view(*image, COLOR)).collect();
        let per_set = N_IMAGES as usize;
        let lists = (0..size.sets).map(|set| {
            let at = |n: usize| views[(set * per_set + n) % views.len()];
            (0..per_set).map(at).collect::<Vec<_>>()
        });
        let lists: Vec<_> = lists.collect();
        let (pool, sets) = descriptor_sets(gpu, scene.set_layout, &lists, scene.sampler);
        let targets = (0..size.passes).map(|_| Target::new(gpu)).collect();
        Objects { images, views, memory, pool, sets, targets }
    }

    fn destroy(self, gpu: &Gpu) {
        self.targets.into_iter().for_each(|target| target.destroy(gpu));
        // SAFETY: nothing uses it any more.
        unsafe { gpu.device.destroy_descriptor_pool(self.pool, None) };
        super::scene::destroy_images(gpu, &self.images, &self.views, self.memory);
    }
}

/// What `body` makes, and the nanoseconds that this thread was busy with it.
fn busy<T>(is_counted: bool, body: impl FnOnce() -> T) -> (T, u64) {
    let (mut body, mut made) = (Some(body), None);
    let start = busy_ns();
    let mut run = || made = body.take().map(|body| body());
    if is_counted {
        counted(&mut run)
    } else {
        run()
    }
    let ns = busy_ns() - start;
    (made.expect("it was run"), ns)
}

/// Plays frames with so many draws, and all that belongs to them. An outside counter counts what
/// making the objects takes, or destroying them; then there are no frames.
pub fn run(plan: &Plan) -> Value {
    let size = Size::of(plan.units);
    let counts = |what: &str| plan.counted.as_deref() == Some(what);
    let n_frames = if plan.counted.is_some() { 0 } else { N_FRAMES };
    let gpu = Gpu::open();
    let draw_at = gpu.draw_at();
    let scene = Scene::new(&gpu);
    let slot = Slot::new(&gpu);
    prepare(&gpu, &scene, &slot);
    let (objects, objects_ns) = busy(counts("objects"), || Objects::new(&gpu, &scene, &size));
    let (mut record_ns, mut submit_ns) = (u64::MAX, u64::MAX);
    for _ in 0..n_frames {
        slot.begin(&gpu, 1);
        let recorder = Recorder { gpu: &gpu, scene: &scene, buffer: slot.buffers[0] };
        let record = || recorder.whole(|r| frame(r, &objects.targets, &objects.sets, &size));
        record_ns = record_ns.min(busy(false, record).1);
        submit_ns = submit_ns.min(busy(false, || slot.submit(&gpu, 1, false)).1);
    }
    let peak_kib = status_kib("VmHWM");
    slot.destroy(&gpu);
    if counts("destroy") {
        // Nobody else is at the queue while it is counted.
        drained(&gpu);
    }
    let ((), destroy_ns) = busy(counts("destroy"), || objects.destroy(&gpu));
    let analysis_ns = drained(&gpu) as u64;
    scene.destroy(&gpu);
    gpu.close();
    json!({
        "load": "scale", "draws": size.draws, "passes": size.passes, "images": size.images,
        "descriptors": size.sets * N_IMAGES as usize, "frames": n_frames, "draw_at": draw_at,
        "objects_ns": objects_ns, "record_ns": record_ns, "submit_ns": submit_ns,
        "destroy_ns": destroy_ns, "analysis_ns": analysis_ns, "peak_kib": peak_kib,
    })
}

fn frame(r: &Recorder<'_>, targets: &[Target], sets: &[vk::DescriptorSet], size: &Size) {
    let per_pass = size.draws / size.passes;
    for (pass, target) in targets.iter().enumerate() {
        r.pass(target, |r| {
            r.pipeline(0);
            for draw in 0..per_pass {
                r.set(sets[(pass * per_pass + draw) % sets.len()]);
                r.draw();
            }
        });
    }
}

/// What a listing's frame looks like as it grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// As [`run`]: passes of fifty draws, each on targets of its own.
    Frame,
    /// All draws in one pass.
    Pass,
    /// Many passes on one target.
    Target,
    /// Many passes, each of which samples what the one before made.
    Chain,
    /// As that, with barriers from everything to everything between them: on one image and on all
    /// memory in turn.
    Barriers,
    /// No draws: images in one allocation with views and descriptor sets, made and destroyed.
    Objects,
}

const SHAPES: [(&str, Shape); 6] = [
    ("frame", Shape::Frame),
    ("pass", Shape::Pass),
    ("target", Shape::Target),
    ("chain", Shape::Chain),
    ("barriers", Shape::Barriers),
    ("objects", Shape::Objects),
];

/// Lints a listing of frames with so many draws, inside the function that is counted.
///
/// # Errors
///
/// If there is no such shape.
pub fn lint(shape: &str, draws: usize) -> Result<Value, String> {
    let found = SHAPES.iter().find(|(name, _)| *name == shape);
    let (_, shape) = found.ok_or_else(|| format!("no shape is called {shape:?}"))?;
    let listing = listing::parse(&text(*shape, draws)).map_err(|error| error.to_string())?;
    let config = Config::new();
    let mut n_findings = 0;
    let start = Instant::now();
    counted(&mut || {
        let linted = tilelint::lint::lint(&listing, None, &config, None);
        n_findings = linted.judged.findings.len();
    });
    let ns = start.elapsed().as_nanos() as u64;
    Ok(json!({"draws": draws, "entries": listing.entries.len(), "lint_ns": ns,
        "findings": n_findings}))
}

/// Objects that are made and destroyed, as a listing.
fn objects(n: usize) -> String {
    let mut text = String::from("calls version=1\n");
    text += "set-layout slots bindings=0:STORAGE_IMAGE:FRAGMENT\n";
    text += "memory heap size=64MiB type=device\n";
    for n in 0..n {
        text += &format!(
            "image i{n} format=R8G8B8A8_UNORM extent=8x8 usage=SAMPLED|STORAGE memory=?\n\
             bind i{n} memory=heap+{}\nview v{n} of=i{n}\ndescriptor-set s{n} layout=slots\n\
             write s{n} binding=0 type=STORAGE_IMAGE images=v{n}:GENERAL\n\
             buffer b{n} size=256 usage=UNIFORM_BUFFER\n",
            n * 256
        );
    }
    text += "submit graphics\nframe\n";
    for n in 0..n {
        text += &format!("destroy s{n}\ndestroy v{n}\ndestroy i{n}\ndestroy b{n}\n");
    }
    text + "destroy heap\nsubmit graphics\nframe\n"
}

/// The frame as a listing. Every draw reads images, and there are half as many as draws.
fn text(shape: Shape, draws: usize) -> String {
    if shape == Shape::Objects {
        return objects(draws);
    }
    let mut text = String::from("calls version=1\n");
    let mut line = |args: std::fmt::Arguments<'_>| {
        text.write_fmt(args).expect("a String takes everything");
        text.push('\n');
    };
    let n_passes = match shape {
        Shape::Frame => (draws / 50).max(1),
        Shape::Pass => 1,
        _ => (draws / 2).max(1),
    };
    let n_targets = if shape == Shape::Target { 1 } else { n_passes };
    let n_images = draws / 2;
    for image in 0..n_images {
        line(format_args!("image i{image} format=R8G8B8A8_UNORM extent=8x8 usage=SAMPLED"));
    }
    for target in 0..n_targets {
        line(format_args!(
            "image c{target} format=R8G8B8A8_UNORM extent=64x64 usage=COLOR_ATTACHMENT|SAMPLED"
        ));
        line(format_args!(
            "image d{target} format=D32_SFLOAT extent=64x64 usage=DEPTH_STENCIL_ATTACHMENT"
        ));
    }
    line(format_args!("repeat {N_FRAMES}"));
    let per_pass = draws / n_passes;
    for pass in 0..n_passes {
        let target = pass % n_targets;
        line(format_args!("pass p{pass}"));
        line(format_args!("attach c{target} load=CLEAR store=STORE"));
        line(format_args!("attach d{target} load=CLEAR store=DONT_CARE"));
        for draw in 0..per_pass {
            let first = (pass * per_pass + draw) * 5;
            let at = |n: usize| (first + n) % n_images;
            let before = match shape {
                Shape::Chain | Shape::Barriers if pass > 0 => format!("c{},", pass - 1),
                _ => String::new(),
            };
            let (a, b, c, d, e) = (at(0), at(1), at(2), at(3), at(4));
            line(format_args!("draw vertices=3 reads={before}i{a},i{b},i{c},i{d},i{e}"));
        }
        line(format_args!("end"));
        if shape == Shape::Barriers {
            let layouts = " old=COLOR_ATTACHMENT_OPTIMAL new=SHADER_READ_ONLY_OPTIMAL";
            let of_image = pass.is_multiple_of(2).then(|| (format!(" c{target}"), layouts));
            let (image, layouts) = of_image.unwrap_or_default();
            line(format_args!(
                "barrier{image} src_stage=ALL_COMMANDS dst_stage=ALL_COMMANDS \
                 src_access=MEMORY_WRITE dst_access=MEMORY_READ{layouts}"
            ));
        }
    }
    line(format_args!("submit graphics"));
    line(format_args!("frame"));
    line(format_args!("end"));
    text
}
