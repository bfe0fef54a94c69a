# ===- spec.py - print the spec of one test case --------------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
#
# The numeric tests are one program over many shapes, and shapes are types in a
# spec. This prints the program; what the options leave out is the plainest
# choice: bf16, given beta in f32, no decay, no initial state.
#
# ===-----------------------------------------------------------------------===#

import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--batch", default="?", help="a size, or ? for any")
parser.add_argument("--length", default="?", help="a size, or ? for any")
parser.add_argument("--heads", type=int, default=1, help="key heads")
parser.add_argument("--value-heads", type=int, help="default: as key heads")
parser.add_argument("--dim", type=int, default=64, help="key dim")
parser.add_argument("--value-dim", type=int, help="default: as key dim")
parser.add_argument("--steps", type=int, default=1)
parser.add_argument("--chunk", type=int, default=64, help="0: left to the compiler")
parser.add_argument("--dtype", default="bf16", help="of q, k, v, o")
parser.add_argument("--l2norm", help="dtype that q and k are normalised to")
parser.add_argument("--sigmoid", type=float, help="range of a sigmoid on beta")
parser.add_argument("--beta", default="f32", help="dtype of beta")
parser.add_argument("--decay", action="store_true")
parser.add_argument("--initial", action="store_true")
parser.add_argument("--no-state", action="store_true", help="no final state")
parser.add_argument("--scale", type=float)
parser.add_argument("--plans", help="what stands in plans = {..}")
parser.add_argument("--kernel", default="linear", help="or WRITE,READ")
parser.add_argument("--write", action="store_true", help="a write query of its own")
parser.add_argument("--alpha", action="store_true")
parser.add_argument("--u", action="store_true", help="u is a result")
parser.add_argument("--ubar", action="store_true", help="so is what the write query reads")
parser.add_argument("--write-lse", action="store_true", help="and the logarithms of row sums")
parser.add_argument("--read-lse", action="store_true")
parser.add_argument("--cache", help="of this many tokens, or ?; --length is that of the new ones")
args = parser.parse_args()

H, K, n = args.heads, args.dim, args.steps
HV, V = args.value_heads or H, args.value_dim or K
step = "" if n == 1 else f"{n}x"
implicit = args.kernel != "linear"


def rows(sizes, dtype, steps=""):
    return f"tensor<{args.batch}x{args.length}x{steps}{sizes}x{dtype}>"


query, key = rows(f"{H}x{K}", args.dtype), rows(f"{H}x{K}", args.dtype, step)
value, output = rows(f"{HV}x{V}", args.dtype, step), rows(f"{HV}x{V}", args.dtype)
state, row = f"tensor<{args.batch}x{HV}x{K}x{V}xf32>", f"{HV}"

arguments, body, operands = [], [], []


def operand(role, name, type, prologue=None, result=None):
    """An argument, its prologue if any, and the operand that it becomes."""
    arguments.append(f"%{name}: {type}")
    if prologue:
        body.append(f"%{name}p = {prologue.format(name='%' + name)} : {type} -> {result}")
        name, type = name + "p", result
    operands.append(f"{role}(%{name} : {type})")


def normalised(type):
    return type.replace(f"x{args.dtype}>", f"x{args.l2norm}>")


norm = "delta.l2norm {name}" if args.l2norm else None
operand("query", "q", query, norm, normalised(query))
operand("key", "k", key, norm, normalised(key))
operand("value", "v", value)
sigmoid = f"delta.sigmoid {{name}} {{{{range = {args.sigmoid} : f32}}}}" if args.sigmoid else None
operand("beta", "beta", rows(row, args.beta, step), sigmoid, rows(row, "f32", step))
if args.decay:
    operand("decay", "g", rows(row, "f32"))
if args.initial:
    operand("initial", "s0", state)
if args.write:
    operand("write", "w", query, norm, normalised(query))
if args.alpha:
    operand("alpha", "alpha", rows(row, "f32"))

if args.cache:
    keys = f"tensor<{args.batch}x{args.cache}x{H}x{K}x{args.dtype}>"
    us = f"tensor<{args.batch}x{args.cache}x{HV}x{V}x{args.dtype}>"
    arguments += [f"%kc: {keys}", f"%uc: {us}", f"%cached: tensor<{args.batch}xi64>"]
    operands.append(f"cache(%kc, %uc : {keys}, {us}) cached(%cached : tensor<{args.batch}xi64>)")

attributes = []
if implicit:
    write, read = args.kernel.split(",")
    attributes.append(f"kernel = #delta.kernel<write = {write}, read = {read}>")
else:
    attributes.append("kernel = #delta.kernel<linear>")
if n > 1:
    attributes.append(f"steps = {n}")
if args.chunk:
    attributes.append(f"chunk = {args.chunk}")
if args.plans:
    attributes.append(f"plans = {{{args.plans}}}")
if args.scale is not None:
    attributes.append(f"scale = {args.scale} : f32")

names, types, typed = ["%o"], [output], [output]
if not implicit and not args.no_state:
    names, types, typed = names + ["%s"], types + [state], typed + [f"state({state})"]
optional = [
    ("u", args.u, output),
    ("ubar", args.ubar, output),
    ("write_lse", args.write_lse, rows(row, "f32")),
    ("read_lse", args.read_lse, rows(row, "f32")),
]
for name, is_result, type in optional:
    if is_result:
        names, types, typed = names + [f"%{name}"], types + [type], typed + [f"{name}({type})"]
if args.cache:
    names, types = names + ["%kn", "%un"], types + [keys, us]
    typed.append(f"cache({keys}, {us})")

print(f"func.func @numeric({', '.join(arguments)}) -> ({', '.join(types)}) {{")
for line in body:
    print(f"  {line}")
print(f"  {', '.join(names)} = delta.recurrence {' '.join(operands)}")
print(f"      {{{', '.join(attributes)}}} -> {', '.join(typed)}")
print(f"  return {', '.join(names)} : {', '.join(types)}")
print("}")
