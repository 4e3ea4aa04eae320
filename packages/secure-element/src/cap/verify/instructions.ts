import type { PoolKind } from './model.ts'

/**
 * The operands of an instruction, in order: `n` a number of 1, 2 or 4 bytes (`n1`, `n2`, `n4`), `local`
 * a local variable, `jump1` and `jump2` an offset from the instruction, `pool1` and `pool2` a constant,
 * `type` the type of an array, and the two kinds of switches.
 */
type Operand =
  | 'n1'
  | 'n2'
  | 'n4'
  | 'local'
  | 'jump1'
  | 'jump2'
  | 'pool1'
  | 'pool2'
  | 'arguments'
  | 'primitive'
  | 'type'
  | 'shuffle'
  | 'swap'
  | 'table'
  | 'table4'
  | 'lookup'
  | 'lookup4'

export interface Instruction {
  name: string
  operands: readonly Operand[]
  /** The kinds of constants that it accepts. */
  kinds: readonly PoolKind[]
  isInteger: boolean
  /** Execution does not continue after it: a return, a throw, a jump or a switch. */
  isLast: boolean
  /** A local variable named by the opcode itself, as in `aload_2`. */
  local?: number
  /** Whether the variable has two words. */
  isWide: boolean
  /** The kind of a static field: reference, byte, short or int. */
  field?: string
}

const numbered = (name: string) => ['0', '1', '2', '3'].map((end) => `${name}_${end}`)
const typed = (name: string, end = '') =>
  ['a', 'b', 's', 'i'].map((type) => `${name}_${type}${end}`)
const both = (...names: string[]) => names.flatMap((name) => [`s${name}`, `i${name}`])
const conditions = ['ifeq', 'ifne', 'iflt', 'ifge', 'ifgt', 'ifle', 'ifnull', 'ifnonnull']
const comparisons = [
  ['if_acmpeq', 'if_acmpne', 'if_scmpeq', 'if_scmpne'],
  ['if_scmplt', 'if_scmpge', 'if_scmpgt', 'if_scmple', 'goto'],
].flat()

/** By opcode from 0 (Java Card VM Specification 3.1, chapter 7 and table 10-1). */
const names = [
  ['nop', 'aconst_null', 'sconst_m1', 'sconst_0', 'sconst_1', 'sconst_2', 'sconst_3'],
  ['sconst_4', 'sconst_5', 'iconst_m1', 'iconst_0', 'iconst_1', 'iconst_2', 'iconst_3'],
  ['iconst_4', 'iconst_5', 'bspush', 'sspush', 'bipush', 'sipush', 'iipush'],
  ['aload', 'sload', 'iload', ...numbered('aload'), ...numbered('sload'), ...numbered('iload')],
  ['aaload', 'baload', 'saload', 'iaload', 'astore', 'sstore', 'istore'],
  numbered('astore'),
  numbered('sstore'),
  numbered('istore'),
  ['aastore', 'bastore', 'sastore', 'iastore'],
  ['pop', 'pop2', 'dup', 'dup2', 'dup_x', 'swap_x'],
  both('add', 'sub', 'mul', 'div', 'rem', 'neg', 'shl', 'shr', 'ushr', 'and', 'or', 'xor', 'inc'),
  ['s2b', 's2i', 'i2b', 'i2s', 'icmp', ...conditions, ...comparisons, 'jsr', 'ret'],
  ['stableswitch', 'itableswitch', 'slookupswitch', 'ilookupswitch'],
  ['areturn', 'sreturn', 'ireturn', 'return'],
  typed('getstatic'),
  typed('putstatic'),
  typed('getfield'),
  typed('putfield'),
  ['invokevirtual', 'invokespecial', 'invokestatic', 'invokeinterface'],
  ['new', 'newarray', 'anewarray', 'arraylength', 'athrow', 'checkcast', 'instanceof'],
  ['sinc_w', 'iinc_w', ...conditions.map((each) => `${each}_w`)],
  comparisons.map((each) => `${each}_w`),
  typed('getfield', '_w'),
  typed('getfield', '_this'),
  typed('putfield', '_w'),
  typed('putfield', '_this'),
].flat()

const operandsOf: Record<string, readonly Operand[]> = {
  bspush: ['n1'],
  sspush: ['n2'],
  bipush: ['n1'],
  sipush: ['n2'],
  iipush: ['n4'],
  dup_x: ['shuffle'],
  swap_x: ['swap'],
  jsr: ['jump2'],
  ret: ['local'],
  sinc: ['local', 'n1'],
  iinc: ['local', 'n1'],
  sinc_w: ['local', 'n2'],
  iinc_w: ['local', 'n2'],
  stableswitch: ['table'],
  itableswitch: ['table4'],
  slookupswitch: ['lookup'],
  ilookupswitch: ['lookup4'],
  invokevirtual: ['pool2'],
  invokespecial: ['pool2'],
  invokestatic: ['pool2'],
  invokeinterface: ['arguments', 'pool2', 'n1'],
  new: ['pool2'],
  newarray: ['primitive'],
  anewarray: ['pool2'],
  checkcast: ['type', 'pool2'],
  instanceof: ['type', 'pool2'],
}

const kindsOf: Record<string, readonly PoolKind[]> = {
  invokevirtual: ['virtualMethod'],
  invokespecial: ['staticMethod', 'superMethod'],
  invokestatic: ['staticMethod'],
  invokeinterface: ['class'],
  new: ['class'],
  anewarray: ['class'],
  checkcast: ['class'],
  instanceof: ['class'],
}

const field = /^(?:get|put)(static|field)_([absi])(_w|_this)?$/
const variable = /^([asi])(?:load|store)(?:_(\d))?$/
const jump = /^(?:if\w+|goto|goto_w)$/
const last = /^(?:athrow|ret|[asi]?return|goto|goto_w|[si](?:table|lookup)switch)$/
const integer = /^(?:i(?!f|nvoke|nstanceof)\w+|s2i|bipush|sipush)$/

function instructionOf(name: string): Instruction {
  const [, where, type, form] = field.exec(name) ?? []
  const [, loaded, number] = variable.exec(name) ?? []
  const operands: readonly Operand[] =
    operandsOf[name] ??
    (where === 'static' || form === '_w'
      ? ['pool2']
      : where === 'field'
        ? ['pool1']
        : loaded !== undefined && number === undefined
          ? ['local']
          : jump.test(name)
            ? [name.endsWith('_w') ? 'jump2' : 'jump1']
            : [])
  const isInteger = type === 'i' || integer.test(name)
  return {
    name,
    operands,
    kinds:
      kindsOf[name] ??
      (where === undefined ? [] : [where === 'static' ? 'staticField' : 'instanceField']),
    isInteger,
    isLast: last.test(name),
    isWide: isInteger && (loaded !== undefined || name.startsWith('iinc')),
    ...(form === '_this' && { local: 0 }),
    ...(number !== undefined && { local: Number(number) }),
    ...(where === 'static' && type !== undefined && { field: type }),
  }
}

/** By opcode; the two reserved for implementations never occur in CAP files. */
export const instructions: readonly Instruction[] = names.map(instructionOf)
