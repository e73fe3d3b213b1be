//! SPIR-V for pipelines that name no shaders, put together word by word (SPIR-V 1.0).

mod op;
mod primitives;

pub use primitives::{mesh, tessellation};

use std::collections::HashMap;

/// Whether the components of a texel or an output are floats or integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// 32-bit float.
    Float,
    /// Signed 32-bit integer.
    Int,
    /// Unsigned 32-bit integer.
    Uint,
}

/// SPIR-V's `Dim` of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dim {
    /// One dimension.
    D1 = 0,
    /// Two dimensions.
    D2 = 1,
    /// Three dimensions.
    D3 = 2,
    /// Cube faces.
    Cube = 3,
    /// What a subpass reads at its own pixel.
    Subpass = 6,
}

/// The shape of an image that a shader uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Dimensions.
    pub dim: Dim,
    /// Layers are addressed.
    pub arrayed: bool,
    /// More than one sample.
    pub multisampled: bool,
    /// Type of the components.
    pub scalar: Scalar,
    /// SPIR-V's `Image Format` of a storage image; 0 where it has none without extra capabilities.
    pub format: u32,
}

/// What a shader does with a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An image is fetched from.
    Sampled(Shape),
    /// An image with a sampler is fetched from.
    Combined(Shape),
    /// An image is written.
    Storage(Shape),
    /// An input attachment with this index is read.
    Input(Shape, u32),
    /// A uniform buffer is read.
    Uniform,
    /// A storage buffer is written.
    StorageBuffer,
}

/// A descriptor that a shader uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Use {
    /// Set.
    pub set: u32,
    /// Binding.
    pub binding: u32,
    /// Descriptors of the binding.
    pub count: u32,
    /// The one that is used.
    pub element: u32,
    /// What is done with it.
    pub kind: Kind,
}

const UNIFORM_CONSTANT: u32 = 0;
const INPUT: u32 = 1;
const UNIFORM: u32 = 2;
const OUTPUT: u32 = 3;
const BLOCK: u32 = 2;
const BUFFER_BLOCK: u32 = 3;
const BUILT_IN: u32 = 11;
const PATCH: u32 = 15;
const LOCATION: u32 = 30;
const BINDING: u32 = 33;
const DESCRIPTOR_SET: u32 = 34;
const OFFSET: u32 = 35;
const INPUT_ATTACHMENT_INDEX: u32 = 43;
/// Image operand: the sample that is read or written.
const SAMPLE: u32 = 0x40;
/// Image operand: the level that is read.
const LOD: u32 = 2;

#[derive(Default)]
struct Module {
    capabilities: Vec<u32>,
    modes: Vec<u32>,
    decorations: Vec<u32>,
    globals: Vec<u32>,
    code: Vec<u32>,
    interface: Vec<u32>,
    /// Where the fragment is; a shader of fragments has it.
    place: Option<u32>,
    /// Types and constants that were made: the operation and its operands.
    made: HashMap<Vec<u32>, u32>,
    last: u32,
}

fn put(words: &mut Vec<u32>, op: u32, operands: &[u32]) {
    words.push(((operands.len() as u32 + 1) << 16) | op);
    words.extend_from_slice(operands);
}

impl Module {
    fn id(&mut self) -> u32 {
        self.last += 1;
        self.last
    }

    fn capability(&mut self, capability: u32) {
        if !self.capabilities.chunks(2).any(|c| c[1] == capability) {
            put(&mut self.capabilities, op::CAPABILITY, &[capability]);
        }
    }

    /// A type: its id stands first.
    fn kind(&mut self, op: u32, operands: &[u32]) -> u32 {
        let key: Vec<u32> = [&[op], operands].concat();
        if let Some(id) = self.made.get(&key) {
            return *id;
        }
        let id = self.id();
        put(&mut self.globals, op, &[&[id], operands].concat());
        self.made.insert(key, id);
        id
    }

    /// A constant: its type stands first, then its id.
    fn constant(&mut self, op: u32, kind: u32, values: &[u32]) -> u32 {
        let key: Vec<u32> = [&[op, kind], values].concat();
        if let Some(id) = self.made.get(&key) {
            return *id;
        }
        let id = self.id();
        put(&mut self.globals, op, &[&[kind, id], values].concat());
        self.made.insert(key, id);
        id
    }

    fn scalar(&mut self, scalar: Scalar) -> u32 {
        match scalar {
            Scalar::Float => self.kind(op::TYPE_FLOAT, &[32]),
            Scalar::Int => self.kind(op::TYPE_INT, &[32, 1]),
            Scalar::Uint => self.kind(op::TYPE_INT, &[32, 0]),
        }
    }

    fn vector(&mut self, scalar: Scalar, count: u32) -> u32 {
        let component = self.scalar(scalar);
        match count {
            1 => component,
            _ => self.kind(op::TYPE_VECTOR, &[component, count]),
        }
    }

    fn int(&mut self, value: u32) -> u32 {
        let kind = self.scalar(Scalar::Int);
        self.constant(op::CONSTANT, kind, &[value])
    }

    /// A vector of equal components.
    fn splat(&mut self, scalar: Scalar, count: u32, value: u32) -> u32 {
        let component = self.scalar(scalar);
        let one = self.constant(op::CONSTANT, component, &[value]);
        match count {
            1 => one,
            _ => {
                let kind = self.vector(scalar, count);
                self.constant(op::CONSTANT_COMPOSITE, kind, &vec![one; count as usize])
            }
        }
    }

    fn variable(&mut self, storage: u32, kind: u32) -> u32 {
        let pointer = self.kind(op::TYPE_POINTER, &[storage, kind]);
        let id = self.id();
        put(&mut self.globals, op::VARIABLE, &[pointer, id, storage]);
        if storage == INPUT || storage == OUTPUT {
            self.interface.push(id);
        }
        id
    }

    fn decorate(&mut self, id: u32, decoration: &[u32]) {
        put(&mut self.decorations, op::DECORATE, &[&[id], decoration].concat());
    }

    /// An instruction with a result.
    fn emit(&mut self, op: u32, kind: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        put(&mut self.code, op, &[&[kind, id], operands].concat());
        id
    }

    fn image(&mut self, shape: Shape, sampled: u32) -> u32 {
        let component = self.scalar(shape.scalar);
        let (arrayed, multisampled) = (u32::from(shape.arrayed), u32::from(shape.multisampled));
        self.kind(
            op::TYPE_IMAGE,
            &[component, shape.dim as u32, 0, arrayed, multisampled, sampled, shape.format],
        )
    }

    /// Coordinates of the first texel.
    fn origin(&mut self, shape: Shape) -> u32 {
        let plain = match shape.dim {
            Dim::D1 => 1,
            Dim::D2 | Dim::Subpass => 2,
            Dim::D3 | Dim::Cube => 3,
        };
        self.splat(Scalar::Int, plain + u32::from(shape.arrayed && shape.dim != Dim::Cube), 0)
    }

    /// Coordinates of the fragment, in the first layer.
    fn own_pixel(&mut self, shape: Shape, place: u32) -> u32 {
        let four = self.vector(Scalar::Float, 4);
        let two = self.vector(Scalar::Float, 2);
        let whole = self.vector(Scalar::Int, 2);
        let place = self.emit(op::LOAD, four, &[place]);
        let place = self.emit(op::VECTOR_SHUFFLE, two, &[place, place, 0, 1]);
        let place = self.emit(op::CONVERT_F_TO_S, whole, &[place]);
        if !shape.arrayed {
            return place;
        }
        let layer = self.int(0);
        let three = self.vector(Scalar::Int, 3);
        self.emit(op::COMPOSITE_CONSTRUCT, three, &[place, layer])
    }

    /// A pointer to the descriptor, and its type.
    fn descriptor(&mut self, used: Use, storage: u32, kind: u32) -> u32 {
        let of = match used.count {
            1 => kind,
            count => {
                let uint = self.scalar(Scalar::Uint);
                let length = self.constant(op::CONSTANT, uint, &[count]);
                self.kind(op::TYPE_ARRAY, &[kind, length])
            }
        };
        let variable = self.variable(storage, of);
        self.decorate(variable, &[DESCRIPTOR_SET, used.set]);
        self.decorate(variable, &[BINDING, used.binding]);
        if let Kind::Input(_, index) = used.kind {
            self.decorate(variable, &[INPUT_ATTACHMENT_INDEX, index]);
        }
        if used.count == 1 {
            return variable;
        }
        let pointer = self.kind(op::TYPE_POINTER, &[storage, kind]);
        let element = self.int(used.element);
        self.emit(op::ACCESS_CHAIN, pointer, &[variable, element])
    }

    fn touch(&mut self, used: Use) {
        match used.kind {
            Kind::Sampled(shape) => self.fetch(used, shape, false),
            Kind::Combined(shape) => self.fetch(used, shape, true),
            Kind::Input(shape, _) => self.read_input(used, shape),
            Kind::Storage(shape) => self.write_image(used, shape),
            Kind::Uniform => self.touch_buffer(used, BLOCK),
            Kind::StorageBuffer => self.touch_buffer(used, BUFFER_BLOCK),
        }
    }

    fn fetch(&mut self, used: Use, shape: Shape, combined: bool) {
        if shape.dim == Dim::D1 {
            self.capability(43);
        }
        let plain = self.image(shape, 1);
        let kind = if combined { self.kind(op::TYPE_SAMPLED_IMAGE, &[plain]) } else { plain };
        let pointer = self.descriptor(used, UNIFORM_CONSTANT, kind);
        let mut loaded = self.emit(op::LOAD, kind, &[pointer]);
        if combined {
            loaded = self.emit(op::IMAGE, plain, &[loaded]);
        }
        if shape.dim == Dim::Cube {
            // Faces cannot be fetched from; a query uses the image as well.
            self.capability(50);
            if shape.arrayed {
                self.capability(45);
            }
            let size = self.vector(Scalar::Int, 2 + u32::from(shape.arrayed));
            let level = self.int(0);
            self.emit(op::IMAGE_QUERY_SIZE_LOD, size, &[loaded, level]);
            return;
        }
        let at = match self.place {
            Some(place) if shape.multisampled => self.own_pixel(shape, place),
            _ => self.origin(shape),
        };
        let texel = self.vector(shape.scalar, 4);
        let zero = self.int(0);
        let operand = if shape.multisampled { SAMPLE } else { LOD };
        self.emit(op::IMAGE_FETCH, texel, &[loaded, at, operand, zero]);
    }

    fn read_input(&mut self, used: Use, shape: Shape) {
        self.capability(40);
        let kind = self.image(shape, 2);
        let pointer = self.descriptor(used, UNIFORM_CONSTANT, kind);
        let loaded = self.emit(op::LOAD, kind, &[pointer]);
        let at = self.origin(shape);
        let texel = self.vector(shape.scalar, 4);
        let zero = self.int(0);
        let operands = [loaded, at, SAMPLE, zero];
        let operands = if shape.multisampled { &operands[..] } else { &operands[..2] };
        self.emit(op::IMAGE_READ, texel, operands);
    }

    fn write_image(&mut self, used: Use, shape: Shape) {
        if shape.format == 0 {
            self.capability(56);
        }
        match shape.dim {
            Dim::D1 => self.capability(44),
            Dim::Cube if shape.arrayed => self.capability(34),
            _ => {}
        }
        if shape.multisampled {
            self.capability(27);
            if shape.arrayed {
                self.capability(48);
            }
        }
        let kind = self.image(shape, 2);
        let pointer = self.descriptor(used, UNIFORM_CONSTANT, kind);
        let loaded = self.emit(op::LOAD, kind, &[pointer]);
        let at = self.origin(shape);
        let texel = self.splat(shape.scalar, 4, 0);
        let zero = self.int(0);
        let operands = [loaded, at, texel, SAMPLE, zero];
        let operands = if shape.multisampled { &operands[..] } else { &operands[..3] };
        put(&mut self.code, op::IMAGE_WRITE, operands);
    }

    fn touch_buffer(&mut self, used: Use, block: u32) {
        let uint = self.scalar(Scalar::Uint);
        let known = self.made.contains_key(&vec![op::TYPE_STRUCT, uint, block]);
        // The decoration makes two structures of equal members different types.
        let kind = match self.made.get(&vec![op::TYPE_STRUCT, uint, block]) {
            Some(kind) => *kind,
            None => {
                let id = self.id();
                put(&mut self.globals, op::TYPE_STRUCT, &[id, uint]);
                self.made.insert(vec![op::TYPE_STRUCT, uint, block], id);
                id
            }
        };
        if !known {
            self.decorate(kind, &[block]);
            put(&mut self.decorations, op::MEMBER_DECORATE, &[kind, 0, OFFSET, 0]);
        }
        let pointer = self.descriptor(used, UNIFORM, kind);
        let member = self.kind(op::TYPE_POINTER, &[UNIFORM, uint]);
        let first = self.int(0);
        let word = self.emit(op::ACCESS_CHAIN, member, &[pointer, first]);
        if block == BLOCK {
            self.emit(op::LOAD, uint, &[word]);
        } else {
            let zero = self.splat(Scalar::Uint, 1, 0);
            put(&mut self.code, op::STORE, &[word, zero]);
        }
    }

    /// Ends the module: one entry point called `main`.
    fn finish(mut self, model: u32, modes: &[&[u32]]) -> Vec<u32> {
        let void = self.kind(op::TYPE_VOID, &[]);
        let signature = self.kind(op::TYPE_FUNCTION, &[void]);
        let (main, label) = (self.id(), self.id());
        for mode in modes {
            put(&mut self.modes, op::EXECUTION_MODE, &[&[main], *mode].concat());
        }
        let mut words = vec![0x0723_0203, 0x0001_0000, 0, self.last + 1, 0];
        words.extend(&self.capabilities);
        put(&mut words, op::MEMORY_MODEL, &[0, 1]);
        let name = u32::from_le_bytes(*b"main");
        put(&mut words, op::ENTRY_POINT, &[&[model, main, name, 0], &self.interface[..]].concat());
        words.extend(self.modes);
        words.extend(self.decorations);
        words.extend(self.globals);
        put(&mut words, op::FUNCTION, &[void, main, 0, signature]);
        put(&mut words, op::LABEL, &[label]);
        words.extend(self.code);
        put(&mut words, op::RETURN, &[]);
        put(&mut words, op::FUNCTION_END, &[]);
        words
    }
}

fn shader() -> Module {
    let mut module = Module::default();
    module.capability(1);
    module
}

/// A vertex shader whose first three vertices are a triangle that covers the target at depth 0.5;
/// all others are one point. `points` writes the size that points need.
pub fn vertex(points: bool) -> Vec<u32> {
    let mut m = shader();
    let int = m.scalar(Scalar::Int);
    let float = m.scalar(Scalar::Float);
    let vec4 = m.vector(Scalar::Float, 4);
    let index = m.variable(INPUT, int);
    m.decorate(index, &[BUILT_IN, 42]);
    let position = m.variable(OUTPUT, vec4);
    m.decorate(position, &[BUILT_IN, 0]);
    let boolean = m.kind(op::TYPE_BOOL, &[]);
    let [one, two, three, four] = [1, 2, 3, 4].map(|n| m.int(n));
    let half = m.constant(op::CONSTANT, float, &[0.5f32.to_bits()]);
    let whole = m.constant(op::CONSTANT, float, &[1f32.to_bits()]);
    let i = m.emit(op::LOAD, int, &[index]);
    let first = m.emit(op::S_LESS_THAN, boolean, &[i, three]);
    let i = m.emit(op::SELECT, int, &[first, i, three]);
    let coordinate = |m: &mut Module, bit: u32, by: u32| {
        let set = m.emit(op::BITWISE_AND, int, &[i, bit]);
        let far = m.emit(op::I_MUL, int, &[set, by]);
        let near = m.emit(op::I_SUB, int, &[far, one]);
        m.emit(op::CONVERT_S_TO_F, float, &[near])
    };
    let x = coordinate(&mut m, one, four);
    let y = coordinate(&mut m, two, two);
    let value = m.emit(op::COMPOSITE_CONSTRUCT, vec4, &[x, y, half, whole]);
    put(&mut m.code, op::STORE, &[position, value]);
    if points {
        let size = m.variable(OUTPUT, float);
        m.decorate(size, &[BUILT_IN, 1]);
        put(&mut m.code, op::STORE, &[size, whole]);
    }
    m.finish(0, &[])
}

/// A fragment shader with an output of the given type at each location, that uses descriptors: of
/// an image with samples the first at its own pixel, of others the first texel.
pub fn fragment(outputs: &[Option<Scalar>], uses: &[Use]) -> Vec<u32> {
    let mut m = shader();
    for (location, scalar) in (0..).zip(outputs) {
        let Some(scalar) = *scalar else { continue };
        let kind = m.vector(scalar, 4);
        let output = m.variable(OUTPUT, kind);
        m.decorate(output, &[LOCATION, location]);
        let one = if scalar == Scalar::Float { 1f32.to_bits() } else { 1 };
        let value = m.splat(scalar, 4, one);
        put(&mut m.code, op::STORE, &[output, value]);
    }
    let samples =
        |used: &Use| matches!(used.kind, Kind::Sampled(s) | Kind::Combined(s) if s.multisampled);
    if uses.iter().any(samples) {
        let four = m.vector(Scalar::Float, 4);
        let place = m.variable(INPUT, four);
        m.decorate(place, &[BUILT_IN, 15]);
        m.place = Some(place);
    }
    for used in uses {
        m.touch(*used);
    }
    // Execution mode OriginUpperLeft.
    m.finish(4, &[&[7]])
}

/// A compute shader of one invocation a group, that uses descriptors.
pub fn compute(uses: &[Use]) -> Vec<u32> {
    let mut m = shader();
    for used in uses {
        m.touch(*used);
    }
    // Execution mode LocalSize.
    m.finish(5, &[&[17, 1, 1, 1]])
}
