#![doc = include_str!("fragment_compute_fragment.md")]

use ash::vk;
use rustc_hash::{FxHashMap, FxHashSet};

use super::backward_dependency::draws_to;
use super::places;
use crate::call::QueueKey;
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::{Frame, ImageId, ImageRead, Pass, Read, Step};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "fragment-compute-fragment",
    group: Group::Sync,
    level: Level::Info,
    tier: Tier::S,
    folds: &["backward-dependency"],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("fragment_compute_fragment.md"),
    checks: &[Check::Frame(check)],
};

/// What a dispatch made of what fragments drew.
#[derive(Clone)]
struct Made<'a> {
    drawn: ImageId,
    by: &'a Step,
    certain: bool,
}

/// What was drawn, and what dispatches made of it, on one queue.
#[derive(Default)]
struct Chain<'a> {
    drawn: FxHashSet<ImageId>,
    made: FxHashMap<ImageId, Made<'a>>,
}

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    if !cx.profile.is_tiler() {
        return;
    }
    let mut chains: FxHashMap<QueueKey, Chain<'_>> = FxHashMap::default();
    let mut told: Vec<ImageId> = Vec::new();
    for step in &frame.steps {
        match step {
            Step::Dispatch { queue, reads, writes, .. } => {
                let chain = chains.entry(*queue).or_default();
                let source = reads.iter().find_map(|read| chain.source(read, step));
                for image in writes {
                    chain.drawn.remove(image);
                    match &source {
                        Some(source) => drop(chain.made.insert(*image, source.clone())),
                        None => drop(chain.made.remove(image)),
                    }
                }
            }
            Step::Pass(pass) => {
                let chain = chains.entry(pass.queue).or_default();
                for read in pass.reads.iter().filter(|read| in_fragments(read)) {
                    let Some(made) = chain.made.get(&read.image) else { continue };
                    let hidden = frame.is_opaque(Some(made.drawn));
                    if !hidden && !told.contains(&made.drawn) {
                        told.push(made.drawn);
                        report(cx, made, read, pass);
                    }
                }
                chain.draw(pass);
            }
            _ => {}
        }
    }
}

impl<'a> Chain<'a> {
    /// What a dispatch reads, where it goes back to fragments.
    fn source(&self, read: &ImageRead, by: &'a Step) -> Option<Made<'a>> {
        if read.how == Read::Perhaps {
            return None;
        }
        match self.made.get(&read.image) {
            Some(made) => Some(Made { certain: made.certain && read.certain, ..made.clone() }),
            None if self.drawn.contains(&read.image) => {
                Some(Made { drawn: read.image, by, certain: read.certain })
            }
            None => None,
        }
    }

    fn draw(&mut self, pass: &Pass) {
        for image in pass.shape.attachments.iter().filter_map(|a| a.image.as_ref()) {
            if draws_to(pass, image.id) {
                self.made.remove(&image.id);
                self.drawn.insert(image.id);
            }
        }
    }
}

fn in_fragments(read: &ImageRead) -> bool {
    read.stages.contains(vk::ShaderStageFlags::FRAGMENT)
        && matches!(read.how, Read::Sampled | Read::Storage)
}

fn report(cx: &mut Cx<'_>, made: &Made<'_>, read: &ImageRead, pass: &Pass) {
    let Some((image, _)) = cx.device.image(made.drawn) else { return };
    let name = image.name.text.to_string();
    let object = places::identity(&image.name, "image");
    let mut place = places::dispatch(made.by, object, cx.device);
    place.location.image = Some(name.clone());
    place.objects.push((image.key.into(), name.clone()));
    let message = format!("compute work stands between what draws `{name}` and what it is for");
    let why = format!(
        "pass `{}` waits for the dispatch, which waits for the fragments that draw `{name}`: on \
         one queue nothing fills the gaps",
        pass.name
    );
    let fix = Fix::text(
        "do it in a fragment shader, or put the dispatch on a compute queue and let other frames \
         or passes run meanwhile",
    );
    let mut report = Report::new(place, Confidence::Certain, message, why, fix);
    if !(made.certain && read.certain) {
        report.confidence = Confidence::Likely;
        report = report.assume("the shaders use the descriptors that are bound");
    }
    cx.report(report);
}
