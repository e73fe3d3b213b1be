//! Shaders between those of vertices and of fragments: they make no primitives.

use super::{BUILT_IN, OUTPUT, PATCH, Scalar, op, put, shader};

/// Shaders of tessellation that drop every patch: of control and evaluation.
pub fn tessellation() -> (Vec<u32>, Vec<u32>) {
    let mut control = shader();
    control.capability(3);
    let float = control.scalar(Scalar::Float);
    let uint = control.scalar(Scalar::Uint);
    let four = control.constant(op::CONSTANT, uint, &[4]);
    let levels = control.kind(op::TYPE_ARRAY, &[float, four]);
    let outer = control.variable(OUTPUT, levels);
    // TessLevelOuter, for the whole patch.
    control.decorate(outer, &[BUILT_IN, 11]);
    control.decorate(outer, &[PATCH]);
    let zero = control.splat(Scalar::Float, 1, 0);
    let none = control.constant(op::CONSTANT_COMPOSITE, levels, &[zero; 4]);
    put(&mut control.code, op::STORE, &[outer, none]);
    let mut evaluation = shader();
    evaluation.capability(3);
    // OutputVertices; Triangles, SpacingEqual, VertexOrderCcw.
    (control.finish(1, &[&[26, 3]]), evaluation.finish(2, &[&[22], &[1], &[5]]))
}

/// A mesh shader that emits nothing (SPIR-V 1.4).
pub fn mesh() -> Vec<u32> {
    let [void, signature, main, label, uint, zero] = [1, 2, 3, 4, 5, 6];
    let mut words = vec![0x0723_0203, 0x0001_0400, 0, 7, 0];
    // Capability MeshShadingEXT.
    put(&mut words, op::CAPABILITY, &[5283]);
    let name: Vec<u32> = b"SPV_EXT_mesh_shader\0"
        .chunks(4)
        .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
        .collect();
    put(&mut words, op::EXTENSION, &name);
    put(&mut words, op::MEMORY_MODEL, &[0, 1]);
    // Execution model MeshEXT.
    put(&mut words, op::ENTRY_POINT, &[5365, main, u32::from_le_bytes(*b"main"), 0]);
    // LocalSize, OutputVertices, OutputPrimitivesEXT, OutputTrianglesEXT.
    for mode in [&[17, 1, 1, 1][..], &[26, 3], &[5270, 1], &[5298]] {
        put(&mut words, op::EXECUTION_MODE, &[&[main], mode].concat());
    }
    put(&mut words, op::TYPE_VOID, &[void]);
    put(&mut words, op::TYPE_FUNCTION, &[signature, void]);
    put(&mut words, op::TYPE_INT, &[uint, 32, 0]);
    put(&mut words, op::CONSTANT, &[uint, zero, 0]);
    put(&mut words, op::FUNCTION, &[void, main, 0, signature]);
    put(&mut words, op::LABEL, &[label]);
    put(&mut words, op::SET_MESH_OUTPUTS, &[zero, zero]);
    put(&mut words, op::RETURN, &[]);
    put(&mut words, op::FUNCTION_END, &[]);
    words
}
