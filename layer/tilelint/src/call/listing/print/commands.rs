//! Command buffers.

use ash::vk;

use super::super::commands::{self, Shared, Spot, TransferLine, spot};
use super::super::objects;
use super::super::refs::{ImagePart, Sub};
use super::super::row::{Done, Row};
use super::super::specs::ClearValue;
use super::super::states::{self, bind_sets};
use super::Printer;
use crate::call::*;

impl Printer {
    /// Prints a `commands` block.
    pub(super) fn commands(
        &mut self,
        entry: &Entry,
        key: CommandsKey,
        recording: &Recording,
    ) -> Done<Vec<String>> {
        let mut head = Recording::default();
        head.secondary = recording.secondary;
        head.usage = recording.usage;
        head.inherits = recording.inherits;
        head.inherited_formats.clone_from(&recording.inherited_formats);
        head.inherited_samples = recording.inherited_samples;
        head.inherited_views = recording.inherited_views;
        head.inherited_flags = recording.inherited_flags;
        let mut lines =
            self.object(entry, "commands", key.into(), |row| states::commands(row, &mut head))?;
        let mut in_pass = false;
        for command in &recording.commands {
            let more = match command {
                Command::EndPass if !in_pass => continue,
                command => self.command(command, recording)?,
            };
            if matches!(command, Command::EndPass) {
                in_pass = false;
            }
            let indent = if in_pass { "    " } else { "  " };
            lines.extend(more.into_iter().map(|line| format!("{indent}{line}")));
            if matches!(command, Command::BeginPass(_)) {
                in_pass = true;
            }
        }
        if recording.left_out != 0 {
            lines.push(format!("  # {} commands left out", recording.left_out));
        }
        if in_pass {
            lines.push("  end".to_owned());
        }
        lines.push("end".to_owned());
        Ok(lines)
    }

    fn begin(&mut self, verb: &str) -> Row<'_> {
        Row::write(verb, Vec::new(), &mut self.scene)
    }

    fn command(&mut self, command: &Command, recording: &Recording) -> Done<Vec<String>> {
        Ok(vec![match command {
            Command::BeginPass(begin) => return self.begin_pass(begin),
            Command::NextSubpass(contents) => {
                let mut row = self.begin("next-subpass");
                row.opt("contents", &mut contents.clone(), Contents::Inline)?;
                row.finish()?
            }
            Command::EndPass => "end".to_owned(),
            Command::Barrier(barriers) => return self.barriers("barrier", None, barriers),
            Command::EventSet(event) => return self.event("event-set", event),
            Command::EventWait(event) => return self.event("event-wait", event),
            Command::EventReset(event) => return self.event("event-reset", event),
            Command::PushSet(push) => return self.push_set(push),
            Command::Clear(clear) => return self.clear(clear),
            Command::Transfer(transfer) => return self.transfer(transfer),
            Command::ClearAttachments(clear) => {
                let mut row = self.begin("clear-attachments");
                commands::clear_attachments(&mut row, &mut clear.clone())?;
                row.finish()?
            }
            Command::Set(state) => {
                let mut row = self.begin("set");
                states::write_set(&mut row, state)?;
                row.finish()?
            }
            Command::Draw(draw) => {
                let mut row = self.begin("draw");
                commands::draw(&mut row, &mut draw.clone())?;
                row.finish()?
            }
            Command::Dispatch(dispatch) => {
                let mut row = self.begin("dispatch");
                commands::dispatch(&mut row, &mut dispatch.clone())?;
                row.finish()?
            }
            Command::Query(query) => {
                let verb = commands::QUERY_VERBS.iter().find(|(_, verb)| *verb == query.verb);
                let mut row = self.begin(verb.map_or("query-begin", |(word, _)| word));
                commands::query(&mut row, &mut query.clone())?;
                row.finish()?
            }
            Command::Opaque(opaque) => {
                let mut row = self.begin("opaque");
                commands::opaque(&mut row, &mut opaque.clone())?;
                row.finish()?
            }
            _ => self.bind(command, recording)?,
        }])
    }

    fn bind(&mut self, command: &Command, recording: &Recording) -> Done<String> {
        let words = |list: List| recording.words(list).iter().copied();
        let mut row;
        match command {
            Command::BindPipeline { point, pipeline } => {
                let usual = self.scene.pipelines.get(pipeline).map(|info| info.point);
                let usual = usual.unwrap_or(vk::PipelineBindPoint::GRAPHICS);
                row = self.begin("bind-pipeline");
                row.subject("pipeline", &mut pipeline.clone())?;
                row.opt("point", &mut point.clone(), usual)?;
            }
            Command::BindShaders(list) => {
                row = self.begin("bind-shaders");
                row.subject("shader", &mut words(*list).map(ShaderKey).collect::<Vec<_>>())?;
            }
            Command::BindSets { point, layout, first, sets, offsets } => {
                let mut sets: Vec<SetKey> = words(*sets).map(SetKey).collect();
                let mut offsets: Vec<u64> = words(*offsets).collect();
                let (mut point, mut layout, mut first) = (*point, *layout, *first);
                row = self.begin("bind-sets");
                bind_sets(&mut row, &mut sets, &mut layout, &mut point, &mut first, &mut offsets)?;
            }
            Command::BindVertex { first, buffers, strides } => {
                let list: Vec<u64> = words(*buffers).collect();
                let mut buffers: Vec<BufferKey> =
                    list.chunks(2).map(|pair| BufferKey(pair[0])).collect();
                let mut offsets: Vec<u64> =
                    list.chunks(2).map(|pair| pair.get(1).copied().unwrap_or(0)).collect();
                row = self.begin("bind-vertex");
                row.subject("buffer", &mut buffers)?;
                commands::offsets(&mut row, "offset", &mut offsets)?;
                row.opt("first", &mut first.clone(), 0)?;
                commands::strides(&mut row, *strides)?;
            }
            Command::BindIndex { buffer, offset, kind } => {
                row = self.begin("bind-index");
                row.subject("buffer", &mut buffer.clone())?;
                commands::offsets(&mut row, "offset", &mut vec![*offset])?;
                row.w("type", &mut kind.clone(), Some(vk::IndexType::UINT16))?;
            }
            Command::PushConstants { layout, offset, size, hash } => {
                row = self.begin("push-constants");
                let mut place = (*offset, *size);
                commands::push_constants(
                    &mut row,
                    &mut layout.clone(),
                    &mut place,
                    &mut hash.clone(),
                )?;
            }
            _ => return self.plain(command),
        }
        row.finish()
    }

    fn plain(&mut self, command: &Command) -> Done<String> {
        let mut row;
        match command {
            Command::Label(label) => {
                row = self.begin(match label {
                    Label::Begin(_) => "label-begin",
                    Label::End => "label-end",
                    Label::Insert(_) => "label",
                });
                if let Label::Begin(text) | Label::Insert(text) = label {
                    row.req("text", &mut text.clone())?;
                }
            }
            Command::Execute(list) => {
                row = self.begin("execute");
                row.subject("command buffer", &mut list.clone())?;
            }
            Command::ConditionalBegin { buffer, offset } => {
                row = self.begin("conditional-begin");
                row.subject("buffer", &mut buffer.clone())?;
                row.opt("offset", &mut offset.clone(), 0)?;
            }
            _ => row = self.begin("conditional-end"),
        }
        row.finish()
    }

    fn barriers(
        &mut self,
        verb: &str,
        event: Option<&EventCommand>,
        command: &BarrierCommand,
    ) -> Done<Vec<String>> {
        let mut lines = Vec::new();
        let mut shared = Shared { flags: command.flags, version: command.version, joined: false };
        let none = vk::PipelineStageFlags2::empty();
        if command.barriers.is_empty() {
            let mut row = self.begin(verb);
            match event {
                Some(event) => {
                    row.subject("event", &mut event.events.clone())?;
                    row.f("stage", &mut event.stages.clone(), Some(none))?;
                }
                None => row.put_word("none"),
            }
            row.f("flags", &mut shared.flags, Some(vk::DependencyFlags::empty()))?;
            row.opt("via", &mut shared.version, 2)?;
            return Ok(vec![row.finish()?]);
        }
        for barrier in &command.barriers {
            let mut about = spot(&barrier.target);
            let mut row = self.begin(verb);
            match event {
                Some(event) => {
                    row.subject("event", &mut event.events.clone())?;
                    row.maybe("target", &mut about)?;
                    row.f("stage", &mut event.stages.clone(), Some(none))?;
                }
                None => row.word(&mut about)?,
            }
            commands::barrier(&mut row, &mut barrier.clone(), about, &mut shared)?;
            lines.push(row.finish()?);
            shared = Shared { flags: vk::DependencyFlags::empty(), version: 2, joined: true };
        }
        Ok(lines)
    }

    fn event(&mut self, verb: &str, event: &EventCommand) -> Done<Vec<String>> {
        self.barriers(verb, Some(event), &event.barriers)
    }

    fn push_set(&mut self, push: &PushSet) -> Done<Vec<String>> {
        let mut lines = Vec::new();
        let mut joined = false;
        for write in &push.writes {
            let (mut layout, mut set, mut point) = (push.layout, push.set, push.point);
            let mut row = self.begin("push-set");
            row.req("layout", &mut layout)?;
            row.opt("set", &mut set, 0)?;
            row.opt("point", &mut point, vk::PipelineBindPoint::GRAPHICS)?;
            objects::write(&mut row, &mut write.clone())?;
            row.opt("joined", &mut joined.clone(), false)?;
            lines.push(row.finish()?);
            joined = true;
        }
        Ok(lines)
    }

    fn clear(&mut self, clear: &Clear) -> Done<Vec<String>> {
        let mut lines = Vec::new();
        let mut joined = false;
        for range in &clear.ranges {
            let sub = Sub {
                base_mip: range.base_mip,
                mips: range.mips,
                base_layer: range.base_layer,
                layers: range.layers,
            };
            let mut aspects = range.aspects;
            let mut value = ClearValue::of(clear.value);
            let mut layout = clear.layout;
            let mut row = self.begin("clear");
            row.subject("image", &mut ImagePart(clear.image, sub))?;
            commands::clear(&mut row, &mut aspects, &mut value, &mut layout, &mut joined)?;
            lines.push(row.finish()?);
            joined = true;
        }
        Ok(lines)
    }

    fn transfer(&mut self, transfer: &Transfer) -> Done<Vec<String>> {
        let verb = match transfer.kind {
            TransferKind::Copy => "copy",
            TransferKind::Blit => "blit",
            TransferKind::Resolve => "resolve",
        };
        let whole = Region {
            mip: 0,
            base_layer: 0,
            layers: vk::REMAINING_ARRAY_LAYERS,
            aspects: vk::ImageAspectFlags::empty(),
            offset: [0; 3],
            extent: [0; 3],
        };
        let empty = transfer.regions.is_empty();
        let mut regions = transfer.regions.clone();
        if empty {
            regions.push((whole, whole));
        }
        let mut lines = Vec::new();
        for (index, (from, to)) in regions.into_iter().enumerate() {
            let layout = |end: TransferEnd, usual| match end {
                TransferEnd::Image(_, layout) => layout,
                TransferEnd::Buffer(_) => usual,
            };
            let mut line = TransferLine {
                from: end(transfer.from, &from),
                to: end(transfer.to, &to),
                layouts: [
                    layout(transfer.from, vk::ImageLayout::TRANSFER_SRC_OPTIMAL),
                    layout(transfer.to, vk::ImageLayout::TRANSFER_DST_OPTIMAL),
                ],
                extents: [from.extent, to.extent],
                offsets: [from.offset, to.offset],
                aspects: [from.aspects, to.aspects],
                version: transfer.version,
                joined: index != 0,
                empty,
            };
            let mut row = self.begin(verb);
            commands::transfer(&mut row, &mut line)?;
            lines.push(row.finish()?);
        }
        Ok(lines)
    }
}

fn end(end: TransferEnd, region: &Region) -> Spot {
    match end {
        TransferEnd::Buffer(buffer) => Spot::Buffer(buffer),
        TransferEnd::Image(image, _) => {
            let (base_layer, layers) = (region.base_layer, region.layers);
            Spot::Image(image, Sub { base_mip: region.mip, mips: 1, base_layer, layers })
        }
    }
}
