//! Walks over the commands that ran in a frame and counts those that set state for nothing. Each
//! rule brings a [`Watch`] over its own kind of state; nothing walks for a rule that is off.

use ash::vk;
use rustc_hash::FxHashMap;

use super::super::flow::unquoted;
use super::tally::Tally;
use crate::call::{Command, DynamicState, Line, PassTarget, PipelineInfo, PipelineKey, Recording};
use crate::finding::{Confidence, Fix, Level, Location, Mark, QuoteLine};
use crate::model::{DeviceModel, Frame, Pass, Ran, without_digits};
use crate::rule::*;

/// The setting of such a rule: fewer calls in one place are told as `info`.
pub const fn handful(rule: &'static str) -> RuleSetting {
    RuleSetting {
        rule,
        name: "calls",
        default: 16,
        least: 1,
        most: u64::MAX,
        about: "fewer calls in one pass are told as `info`",
    }
}

/// Depth to which secondary command buffers are followed.
const MAX_DEPTH: u32 = 8;

/// What a command is to a kind of state.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// It sets no state of the kind.
    Other,
    /// It sets state.
    Set,
    /// It was for nothing.
    Wasted,
    /// It sets state, and a setting before it was for nothing: the command of this number, of
    /// those that were seen since the frame began.
    Ends(u32),
}

/// State of one kind while commands go by.
pub trait Watch: Default {
    /// A command comes.
    fn see(&mut self, command: &Command, held: &Recording, device: &DeviceModel) -> Seen;

    /// From here on nothing is known.
    fn forget(&mut self) {
        *self = Self::default();
    }
}

/// What a rule says of its kind of state.
pub struct Told {
    /// The commands, and what is wrong with some of them.
    pub what: &'static str,
    /// Why it costs.
    pub why: &'static str,
    /// What to do.
    pub fix: &'static str,
    /// Fewer of them in one place are told as `info`.
    pub handful: &'static RuleSetting,
}

/// A pass, or what a command buffer holds outside passes.
struct Stretch<'a> {
    ran: &'a Ran,
    pass: Option<&'a Pass>,
    all: u32,
    wasted: u32,
    first: Option<(Line, &'a Command)>,
    tally: Tally,
}

struct Walker<'a, W> {
    watch: W,
    device: &'a DeviceModel,
    ran: &'a Ran,
    /// Passes still to come, where each begin is known to be one of them.
    passes: Option<std::vec::IntoIter<&'a Pass>>,
    pass: Option<&'a Pass>,
    suspends: bool,
    stretches: Vec<Stretch<'a>>,
    /// Line, and the command, of each that the watch saw.
    seen: Vec<(Line, &'a Command)>,
    /// Where the stretch of a command buffer and a pass stands.
    places: FxHashMap<(usize, Option<u32>), usize>,
    /// Where the last was found.
    last: Option<((usize, Option<u32>), usize)>,
}

/// Reports what a kind of watch finds in a frame: one finding for each pass or command buffer.
pub fn report<W: Watch>(frame: &Frame, cx: &mut Cx<'_>, told: &Told) {
    let Some(first) = frame.ran.first() else { return };
    let passes: Vec<&Pass> = frame.passes().collect();
    let begun: usize = frame.ran.iter().map(|ran| begins(&ran.recording, 0)).sum();
    let passes = (begun == passes.len()).then(|| passes.into_iter());
    let (watch, device) = (W::default(), cx.device);
    let (pass, suspends, stretches) = (None, false, Vec::new());
    let (seen, places, last) = (Vec::new(), FxHashMap::default(), None);
    let ran = first;
    let mut walker =
        Walker { watch, device, ran, passes, pass, suspends, stretches, seen, places, last };
    for ran in &frame.ran {
        (walker.ran, walker.pass) = (ran, None);
        walker.watch.forget();
        walker.run(&ran.recording, 0);
    }
    for stretch in walker.stretches.iter().filter(|stretch| stretch.wasted != 0) {
        let (wasted, all) = (stretch.wasted, stretch.all);
        let message = format!("{}: {wasted} of {all} in a frame", told.what);
        let place = place(stretch, frame, device);
        let mut fix = Fix::text(told.fix);
        let names = |command: &Command| {
            let (text, call) = spelled(command, device);
            (text.trim().to_owned(), call)
        };
        fix.edits = stretch.tally.edits(stretch.first.map(|(line, c)| (line, names(c))));
        let mut report = Report::new(place, Confidence::Certain, message, told.why, fix);
        if u64::from(wasted) < cx.setting(told.handful) {
            report = report.at_most(Level::Info, "only a handful of them");
        }
        cx.report(report);
    }
}

/// Passes that begin in a recording and become steps of their own.
fn begins(held: &Recording, depth: u32) -> usize {
    let of = |command: &Command| match command {
        Command::BeginPass(begin) => usize::from(!suspends(&begin.target)),
        Command::Execute(list) if depth < MAX_DEPTH => {
            list.iter().flat_map(|e| e.recording.as_deref()).map(|r| begins(r, depth + 1)).sum()
        }
        _ => 0,
    };
    held.commands.iter().map(of).sum()
}

fn suspends(target: &PassTarget) -> bool {
    let suspending = vk::RenderingFlags::SUSPENDING;
    matches!(target, PassTarget::Dynamic(rendering) if rendering.flags.contains(suspending))
}

impl<'a, W: Watch> Walker<'a, W> {
    fn run(&mut self, held: &'a Recording, depth: u32) {
        for (index, command) in held.commands.iter().enumerate() {
            match command {
                Command::BeginPass(begin) => {
                    self.suspends = suspends(&begin.target);
                    let mut coming = self.passes.as_ref().map(|passes| passes.as_slice().iter());
                    self.pass = coming.as_mut().and_then(|passes| passes.next().copied());
                    // With multiview, all state is undefined when a subpass begins.
                    if self.pass.is_none_or(|pass| pass.shape.view_mask != 0) {
                        self.watch.forget();
                    }
                }
                Command::NextSubpass(_) => self.watch.forget(),
                Command::EndPass => {
                    if let Some(passes) = self.passes.as_mut().filter(|_| !self.suspends) {
                        passes.next();
                    }
                    self.pass = None;
                }
                Command::Execute(list) => {
                    for executed in list.iter().filter(|_| depth < MAX_DEPTH) {
                        self.watch.forget();
                        if let Some(held) = executed.recording.as_deref() {
                            self.run(held, depth + 1);
                        }
                    }
                    self.watch.forget();
                }
                Command::Opaque(_) => self.watch.forget(),
                _ => {
                    let seen = self.watch.see(command, held, self.device);
                    let line = held.lines.get(index).copied().unwrap_or_default();
                    self.seen.push((line, command));
                    self.count(seen, line, command);
                }
            }
        }
    }

    fn count(&mut self, seen: Seen, line: Line, command: &'a Command) {
        if seen == Seen::Other {
            return;
        }
        let (ran, pass) = (self.ran, self.pass);
        let key = (std::ptr::from_ref(ran).addr(), pass.map(|pass| pass.step.index));
        let at = match self.last {
            Some((last, at)) if last == key => at,
            _ => *self.places.entry(key).or_insert_with(|| {
                let tally = Tally::default();
                self.stretches.push(Stretch { ran, pass, all: 0, wasted: 0, first: None, tally });
                self.stretches.len() - 1
            }),
        };
        self.last = Some((key, at));
        let stretch = &mut self.stretches[at];
        stretch.all += 1;
        if matches!(seen, Seen::Wasted | Seen::Ends(_)) {
            stretch.wasted += 1;
            stretch.first.get_or_insert((line, command));
        }
        let spelled = |command: &Command| spelled(command, self.device);
        match seen {
            Seen::Wasted => stretch.tally.count(line, command, true, spelled),
            Seen::Ends(number) => {
                stretch.tally.count(line, command, false, spelled);
                if let Some((line, command)) = self.seen.get(number as usize) {
                    stretch.tally.unused(*line, command, spelled);
                }
            }
            _ => stretch.tally.count(line, command, false, spelled),
        }
    }
}

fn place(stretch: &Stretch<'_>, frame: &Frame, device: &DeviceModel) -> Place {
    let mut place = match stretch.pass {
        Some(pass) => unquoted(pass, device),
        None => Place {
            location: Location {
                device: device.name.to_string(),
                frame: Some(frame.index),
                commands: Some(stretch.ran.name.to_string()),
                ..Location::default()
            },
            object: without_digits(&stretch.ran.name),
            ..Place::default()
        },
    };
    if let Some((line, command)) = stretch.first {
        let (text, call) = spelled(command, device);
        place.location.call = Some(call);
        place.quote.lines.push(QuoteLine { number: line.0, text });
        let label = "the first of them".to_owned();
        place.quote.marks.push(Mark { line: 0, key: "", label, primary: true });
    }
    place
}

fn spelled(command: &Command, device: &DeviceModel) -> (String, &'static str) {
    let name = |key: &PipelineKey| device.pipeline(*key).map(|p| identifier(&p.name.text));
    match command {
        Command::BindPipeline { pipeline, .. } => (
            format!("    bind-pipeline {}", name(pipeline).unwrap_or_default()),
            "vkCmdBindPipeline",
        ),
        Command::BindSets { .. } => ("    bind-sets".to_owned(), "vkCmdBindDescriptorSets"),
        Command::BindVertex { .. } => ("    bind-vertex".to_owned(), "vkCmdBindVertexBuffers"),
        Command::BindIndex { .. } => ("    bind-index".to_owned(), "vkCmdBindIndexBuffer"),
        Command::PushConstants { .. } => ("    push-constants".to_owned(), "vkCmdPushConstants"),
        _ => ("    set".to_owned(), "vkCmdSet*"),
    }
}

/// The dynamic state that a command sets, where it is one that a pipeline can name.
pub fn dynamic_state(state: &DynamicState) -> Option<vk::DynamicState> {
    use vk::DynamicState as D;
    Some(match state {
        DynamicState::Viewport(_) => D::VIEWPORT,
        DynamicState::Scissor(_) => D::SCISSOR,
        DynamicState::DepthTest(_) => D::DEPTH_TEST_ENABLE,
        DynamicState::DepthWrite(_) => D::DEPTH_WRITE_ENABLE,
        DynamicState::DepthCompare(_) => D::DEPTH_COMPARE_OP,
        DynamicState::DepthBounds(_) => D::DEPTH_BOUNDS_TEST_ENABLE,
        DynamicState::StencilTest(_) => D::STENCIL_TEST_ENABLE,
        DynamicState::StencilWriteMask(..) => D::STENCIL_WRITE_MASK,
        DynamicState::StencilOp(..) => D::STENCIL_OP,
        DynamicState::BlendEnable(..) => D::COLOR_BLEND_ENABLE_EXT,
        DynamicState::WriteMask(..) => D::COLOR_WRITE_MASK_EXT,
        DynamicState::ColorWriteEnable(_) => D::COLOR_WRITE_ENABLE_EXT,
        DynamicState::LogicOpEnable(_) => D::LOGIC_OP_ENABLE_EXT,
        DynamicState::RasterizerDiscard(_) => D::RASTERIZER_DISCARD_ENABLE,
        DynamicState::Topology(_) => D::PRIMITIVE_TOPOLOGY,
        DynamicState::Samples(_) => D::RASTERIZATION_SAMPLES_EXT,
        DynamicState::ColorLocations(_) | DynamicState::InputIndices(_) => return None,
        DynamicState::Other(name, _) => match *name {
            "vkCmdSetViewport" => D::VIEWPORT,
            "vkCmdSetScissor" => D::SCISSOR,
            "vkCmdSetBlendConstants" => D::BLEND_CONSTANTS,
            "vkCmdSetCullMode" => D::CULL_MODE,
            "vkCmdSetFrontFace" => D::FRONT_FACE,
            "vkCmdSetDepthBias" => D::DEPTH_BIAS,
            "vkCmdSetDepthBiasEnable" => D::DEPTH_BIAS_ENABLE,
            "vkCmdSetLineWidth" => D::LINE_WIDTH,
            "vkCmdSetStencilCompareMask" => D::STENCIL_COMPARE_MASK,
            "vkCmdSetStencilReference" => D::STENCIL_REFERENCE,
            _ => return None,
        },
    })
}

/// Says whether a pipeline leaves a state to commands; one that is not understood, or a state
/// that is not known, is no proof.
pub fn leaves_dynamic(pipeline: &PipelineInfo, state: &DynamicState) -> bool {
    use vk::DynamicState as D;
    let Some(state) = dynamic_state(state).filter(|_| !pipeline.opaque) else { return false };
    let counted = match state {
        D::VIEWPORT => D::VIEWPORT_WITH_COUNT,
        D::SCISSOR => D::SCISSOR_WITH_COUNT,
        other => other,
    };
    pipeline.dynamic.contains(&state) || pipeline.dynamic.contains(&counted)
}
