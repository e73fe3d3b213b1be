//! Reading of recorded commands.

use ash::vk;

use super::commands::{self, Shared, Spot};
use super::lex::Lexed;
use super::parse::Parser;
use super::row::{Done, Row, from_bad};
use super::short::PassState;
use super::specs;
use crate::call::*;

/// All verbs.
pub(super) const VERBS: &[&str] = &[
    "calls",
    "device",
    "memory-type",
    "queue",
    "image",
    "memory",
    "bind",
    "view",
    "buffer",
    "sampler",
    "swapchain",
    "renderpass",
    "framebuffer",
    "shader",
    "set-layout",
    "pipeline-layout",
    "descriptor-set",
    "write",
    "pipeline",
    "semaphore",
    "fence",
    "event",
    "query-pool",
    "name",
    "destroy",
    "fence-reset",
    "commands",
    "reset",
    "execute",
    "pass",
    "attach",
    "subpass",
    "dependency",
    "next-subpass",
    "barrier",
    "event-set",
    "event-wait",
    "event-reset",
    "bind-pipeline",
    "bind-shaders",
    "bind-sets",
    "push-set",
    "conditional-begin",
    "conditional-end",
    "bind-vertex",
    "bind-index",
    "push-constants",
    "set",
    "draw",
    "dispatch",
    "clear-attachments",
    "clear",
    "copy",
    "blit",
    "resolve",
    "query-begin",
    "query-end",
    "query-reset",
    "query-copy",
    "timestamp",
    "label-begin",
    "label",
    "label-end",
    "opaque",
    "submit",
    "batch",
    "acquire",
    "present",
    "wait",
    "signal",
    "wait-idle",
    "map",
    "unmap",
    "host-read",
    "host-write",
    "query-read",
    "commitment",
    "frame",
    "repeat",
    "end",
];

/// A command buffer while it is recorded.
#[derive(Debug, Default)]
pub(super) struct Rec {
    pub recording: Recording,
    pub line: Line,
    pub pass: Option<PassState>,
    /// The pipeline that was asked for; none for the default one.
    pub wanted: [Option<PipelineKey>; 2],
    /// The pipeline that is bound.
    pub bound: [Option<PipelineKey>; 2],
    /// Dynamic states that were set.
    pub set: Vec<vk::DynamicState>,
    /// Shader objects are bound: no pipeline is needed.
    pub shaders: bool,
    /// The set that a short form bound: its number and key.
    pub sets: [Option<(u32, PipelineLayoutKey, Vec<SetKey>)>; 2],
}

impl Rec {
    /// Appends a command.
    pub fn push(&mut self, command: Command, line: Line) {
        self.recording.push(command);
        self.recording.lines.push(line);
    }
}

impl<'a> Parser<'a> {
    /// Reads a `commands` block.
    pub fn commands(&mut self, line: &'a Lexed) -> Done {
        let mut recording = Recording::default();
        let new = super::parse::object(line, &mut self.scene, Kind::Commands, |row| {
            super::states::commands(row, &mut recording)
        })?;
        let key = CommandsKey(new.key);
        let rec = Rec { line: Line(line.line), recording, ..Rec::default() };
        let outer = self.rec.replace(rec);
        let used = std::mem::take(&mut self.scene.used_chains);
        let in_block = std::mem::replace(&mut self.in_block, true);
        self.inherit();
        loop {
            let inner = self.lines[self.at];
            self.at += 1;
            self.scene.line = Line(inner.line);
            if inner.verb == "end" {
                break;
            }
            self.command(inner)?;
        }
        self.in_block = in_block;
        let rec = std::mem::replace(&mut self.rec, outer).unwrap_or_default();
        self.complete(rec, Some((key, new, line)));
        self.scene.used_chains = used;
        Ok(())
    }

    /// Reads a command.
    pub fn command(&mut self, line: &'a Lexed) -> Done {
        if !is_command(&line.verb) {
            return Err(match VERBS.contains(&line.verb.as_str()) {
                true => line.error(line.column, format!("`{}` cannot stand here", line.verb)),
                false => self.unknown_verb(line),
            });
        }
        if self.rec.is_none() {
            let mut rec = Rec { line: Line(line.line), ..Rec::default() };
            rec.recording.usage = vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT;
            self.rec = Some(rec);
        }
        match line.verb.as_str() {
            "pass" => self.pass(line),
            "draw" => self.draw(line),
            "dispatch" => self.dispatch(line),
            "barrier" | "event-set" | "event-wait" | "event-reset" => self.barrier(line),
            "copy" | "blit" | "resolve" => self.transfer(line),
            "clear" => self.clear(line),
            "set" => self.set(line),
            "bind-pipeline" => self.bind_pipeline(line),
            "next-subpass" => self.next_subpass(line),
            "push-set" => self.push_set(line),
            _ => self.plain_command(line),
        }
    }

    /// Appends a command, or one that is not understood where a key of it is unknown.
    pub fn record(&mut self, line: &Lexed, row_unknown: &[&'static str], command: Command) {
        let command = match row_unknown.is_empty() {
            true => command,
            false => Command::Opaque(Box::new(Opaque {
                name: api_name(&line.verb).into(),
                images: None,
                buffers: None,
            })),
        };
        if let Some(rec) = &mut self.rec {
            rec.shaders |= matches!(command, Command::BindShaders(_));
            rec.push(command, Line(line.line));
        }
    }

    /// The command that a `joined` line continues.
    pub fn last_command(&mut self, line: &Lexed) -> Done<&mut Command> {
        let error = || line.error(line.column, "`joined` needs a line like it before");
        let rec = self.rec.as_mut().ok_or_else(error)?;
        rec.recording.commands.last_mut().ok_or_else(error)
    }

    fn barrier(&mut self, line: &Lexed) -> Done {
        let event = line.verb != "barrier";
        let mut row = Row::read(line, &mut self.scene);
        let mut events = Vec::new();
        let mut about: Option<Spot> = None;
        let mut stages = vk::PipelineStageFlags2::empty();
        if event {
            row.subject("event", &mut events)?;
            row.maybe("target", &mut about)?;
            row.f("stage", &mut stages, Some(vk::PipelineStageFlags2::empty()))?;
        } else if line.words().next().is_none_or(|t| t.value != "none") {
            row.word(&mut about)?;
        } else {
            row.take_word();
        }
        let mut barrier = commands::BLANK_BARRIER;
        let mut shared = Shared { flags: vk::DependencyFlags::empty(), version: 2, joined: false };
        let none = (event && !row.has("dst_stage"))
            || line.words().next().is_some_and(|t| t.value == "none");
        if none {
            let given = stages;
            row.f("src_stage", &mut stages, Some(given))?;
            row.f("flags", &mut shared.flags, Some(vk::DependencyFlags::empty()))?;
            row.opt("via", &mut shared.version, 2)?;
        } else {
            commands::barrier(&mut row, &mut barrier, about, &mut shared)?;
        }
        let unknown = std::mem::take(&mut row.unknown);
        row.finish()?;
        if shared.joined && unknown.is_empty() {
            match self.last_command(line)? {
                Command::Barrier(last) if !event => last.barriers.push(barrier),
                Command::EventSet(last) | Command::EventWait(last) | Command::EventReset(last)
                    if event =>
                {
                    last.barriers.barriers.push(barrier);
                }
                _ => return Err(line.error(line.column, "`joined` needs a line like it before")),
            }
            return Ok(());
        }
        let list = if none { Vec::new() } else { vec![barrier] };
        let barriers =
            BarrierCommand { barriers: list, flags: shared.flags, version: shared.version };
        let event = |barriers| Box::new(EventCommand { events, barriers, stages });
        let command = match line.verb.as_str() {
            "event-set" => Command::EventSet(event(barriers)),
            "event-wait" => Command::EventWait(event(barriers)),
            "event-reset" => Command::EventReset(event(barriers)),
            _ => Command::Barrier(Box::new(barriers)),
        };
        self.record(line, &unknown, command);
        Ok(())
    }

    fn push_set(&mut self, line: &Lexed) -> Done {
        let mut push = PushSet {
            point: vk::PipelineBindPoint::GRAPHICS,
            layout: PipelineLayoutKey(0),
            set: 0,
            writes: Vec::new(),
        };
        let mut write = super::small::blank_write();
        let mut joined = false;
        let mut row = Row::read(line, &mut self.scene);
        row.req("layout", &mut push.layout)?;
        row.opt("set", &mut push.set, 0)?;
        row.opt("point", &mut push.point, vk::PipelineBindPoint::GRAPHICS)?;
        objects_write(&mut row, &mut write)?;
        row.opt("joined", &mut joined, false)?;
        let unknown = std::mem::take(&mut row.unknown);
        row.finish()?;
        if joined && unknown.is_empty() {
            return match self.last_command(line)? {
                Command::PushSet(last) => {
                    last.writes.push(write);
                    Ok(())
                }
                _ => Err(line.error(line.column, "`joined` needs a line like it before")),
            };
        }
        push.writes.push(write);
        self.record(line, &unknown, Command::PushSet(Box::new(push)));
        Ok(())
    }

    fn next_subpass(&mut self, line: &Lexed) -> Done {
        let mut contents = Contents::Inline;
        let mut row = Row::read(line, &mut self.scene);
        row.opt("contents", &mut contents, Contents::Inline)?;
        row.finish()?;
        let state = self.rec.as_mut().and_then(|rec| rec.pass.as_mut());
        let Some(state) = state else {
            return Err(line.error(line.column, "`next-subpass` stands outside a pass"));
        };
        state.subpass += 1;
        if state.subpass >= state.subpasses {
            return Err(line.error(line.column, "the pass has no further subpass"));
        }
        self.label_attachments();
        self.record(line, &[], Command::NextSubpass(contents));
        Ok(())
    }

    fn plain_command(&mut self, line: &Lexed) -> Done {
        let mut row = Row::read(line, &mut self.scene);
        let Some(rec) = self.rec.as_mut() else {
            return Ok(());
        };
        let command = super::states::read_plain(&line.verb, &mut row, &mut rec.recording)?;
        let unknown = std::mem::take(&mut row.unknown);
        row.finish()?;
        self.record(line, &unknown, command);
        Ok(())
    }

    fn set(&mut self, line: &Lexed) -> Done {
        let mut row = Row::read(line, &mut self.scene);
        let states = super::states::read_set(&mut row)?;
        let unknown = std::mem::take(&mut row.unknown);
        row.finish()?;
        if states.is_empty() && unknown.is_empty() {
            return Err(line.error(line.column, "`set` needs a state"));
        }
        for (state, dynamic) in states {
            if let (Some(rec), Some(dynamic)) = (&mut self.rec, dynamic)
                && !rec.set.contains(&dynamic)
            {
                rec.set.push(dynamic);
            }
            self.record(line, &[], Command::Set(state));
        }
        for key in unknown {
            self.record(line, &[key], Command::EndPass);
        }
        Ok(())
    }

    fn bind_pipeline(&mut self, line: &Lexed) -> Done {
        let mut name = specs::Named(String::new());
        let mut point = None;
        let mut row = Row::read(line, &mut self.scene);
        row.subject("pipeline", &mut name)?;
        row.maybe("point", &mut point)?;
        row.finish()?;
        self.want(line, &name.0, point, true)
    }

    /// A pipeline is asked for by name: by a call of its own, or by the draw that uses it.
    pub fn want(
        &mut self,
        line: &Lexed,
        name: &str,
        point: Option<vk::PipelineBindPoint>,
        call: bool,
    ) -> Done {
        let graphics = vk::PipelineBindPoint::GRAPHICS;
        let default = name == "default" && self.scene.find(name, Kind::Pipeline).is_none();
        let wanted = if default {
            None
        } else {
            let column = line.tokens.iter().find(|t| t.value == name).map(|t| t.value_column);
            let found = self.scene.lookup(name, Kind::Pipeline);
            let key = found.map_err(|b| from_bad(line, column.unwrap_or(line.column), b))?;
            Some(PipelineKey(key))
        };
        let own = wanted.and_then(|key| self.scene.pipelines.get(&key)).map(|info| info.point);
        let point = point.or(own).unwrap_or(graphics);
        let slot = usize::from(point != graphics);
        let postponed = wanted.is_some_and(|key| self.template(key).is_some());
        let Some(rec) = &mut self.rec else {
            return Ok(());
        };
        rec.wanted[slot] = wanted;
        let in_pass = rec.pass.is_some();
        match wanted {
            Some(key) if !postponed => {
                rec.bound[slot] = Some(key);
                rec.push(Command::BindPipeline { point, pipeline: key }, Line(line.line));
            }
            _ if in_pass && slot == 0 && call => {
                rec.bound[slot] = None;
                self.bind_wanted(line, None)?;
            }
            _ => {}
        }
        Ok(())
    }
}

fn objects_write(row: &mut Row, write: &mut WriteInfo) -> Done {
    super::objects::write(row, write)
}

/// Says whether a verb is recorded into a command buffer.
pub(super) fn is_command(verb: &str) -> bool {
    let from = VERBS.iter().position(|v| *v == "execute").unwrap_or(0);
    let to = VERBS.iter().position(|v| *v == "opaque").unwrap_or(0);
    let inner = ["attach", "subpass", "dependency"];
    VERBS[from..=to].contains(&verb) && !inner.contains(&verb)
}

/// The call that a verb stands for.
pub(super) fn api_name(verb: &str) -> &'static str {
    match verb {
        "execute" => "vkCmdExecuteCommands",
        "barrier" => "vkCmdPipelineBarrier2",
        "event-set" => "vkCmdSetEvent2",
        "event-wait" => "vkCmdWaitEvents2",
        "event-reset" => "vkCmdResetEvent2",
        "bind-pipeline" => "vkCmdBindPipeline",
        "bind-shaders" => "vkCmdBindShadersEXT",
        "bind-sets" => "vkCmdBindDescriptorSets",
        "push-set" => "vkCmdPushDescriptorSetKHR",
        "bind-vertex" => "vkCmdBindVertexBuffers",
        "bind-index" => "vkCmdBindIndexBuffer",
        "push-constants" => "vkCmdPushConstants",
        "draw" => "vkCmdDraw",
        "dispatch" => "vkCmdDispatch",
        "clear-attachments" => "vkCmdClearAttachments",
        "clear" => "vkCmdClearColorImage",
        "copy" => "vkCmdCopyImage",
        "blit" => "vkCmdBlitImage",
        "resolve" => "vkCmdResolveImage",
        "query-begin" => "vkCmdBeginQuery",
        "query-end" => "vkCmdEndQuery",
        "query-reset" => "vkCmdResetQueryPool",
        "query-copy" => "vkCmdCopyQueryPoolResults",
        "timestamp" => "vkCmdWriteTimestamp",
        "conditional-begin" => "vkCmdBeginConditionalRenderingEXT",
        _ => "vkCmdSet",
    }
}
