import type { CodeContext, MethodExtent } from './code-context.ts'
import type { DecodedInstruction } from './decode-code.ts'
import { isExternal, type PoolKind } from './model.ts'
import { hexOf } from './reader.ts'

const words: Record<PoolKind, string> = {
  class: 'a class',
  instanceField: 'a field',
  virtualMethod: 'a virtual method',
  superMethod: 'a method of the superclass',
  staticField: 'a static field',
  staticMethod: 'a static method',
}

/** Checks the operands of an instruction. */
export function checkInstruction(
  { findings: { error }, model }: CodeContext,
  method: MethodExtent,
  { instruction, at, constant, local, type }: DecodedInstruction,
): void {
  const place = { component: 'Method', offset: at, method: method.place } as const
  const { name } = instruction
  if ((instruction.isInteger || type === integerArray) && !model.usesIntegers)
    error('integers', place, { name })
  if (local !== undefined && local + (instruction.isWide ? 1 : 0) >= method.locals)
    error('local', place, { name, index: local, count: method.locals })
  if (!constant) return
  const { index } = constant
  if (index >= model.pool.length) {
    error('poolIndex', place, { name, index, count: model.pool.length })
    return
  }
  const entry = model.pool[index]
  // An unknown tag has a finding of its own.
  if (!entry) return
  if (!instruction.kinds.includes(entry.kind)) {
    const [wanted = 'class'] = instruction.kinds
    error('poolKind', place, { name, index, wanted: words[wanted], found: words[entry.kind] })
    return
  }
  if (entry.kind === 'class' && entry.reference !== undefined && !isExternal(entry.reference)) {
    const isInterface = model.classes.get(entry.reference)?.isInterface
    const wanted = wantedClass(name)
    if (wanted !== undefined && isInterface !== undefined && isInterface !== wanted)
      error('poolKind', place, {
        name,
        index,
        wanted: wanted ? 'an interface' : 'a class',
        found: wanted ? 'a class' : 'an interface',
      })
  }
  if (instruction.field !== undefined && entry.target !== undefined)
    checkStatic(instruction.field, entry.target)

  function checkStatic(field: string, target: number): void {
    const { size, references } = model.statics
    const isReference = field === 'a'
    const width = isReference || field === 's' ? 2 : field === 'i' ? 4 : 1
    const fits = isReference
      ? target % 2 === 0 && target < 2 * references
      : target >= 2 * references && target + width <= size
    if (!fits) error('staticKind', place, { name, target: hexOf(target) })
  }
}

const integerArray = 13

/** Whether the class of an instruction is an interface; undefined if it may be either. */
const wantedClass = (name: string): boolean | undefined =>
  name === 'invokeinterface' ? true : name === 'new' ? false : undefined
