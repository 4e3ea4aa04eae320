import { byteAt } from '../../bytes.ts'
import type { MethodExtent } from './code-context.ts'
import type { Collector, MethodPlace } from './finding.ts'
import { methodFlags, type CapModel, type DescribedMethod, type MethodBlock } from './model.ts'
import { addressOf, blockOf, hexOf, offsetOf, shownAddress } from './reader.ts'

const flags = { extended: 0x80, abstract: 0x40, unknown: 0x30 }

/** All methods by address, in order, and whether their ends are known. */
export interface FoundMethods {
  methods: Map<number, MethodExtent>
  isWhole: boolean
}

/**
 * The methods with their extents. Descriptor says where each ends; without it they are the methods
 * that something refers to, each reaching as far as the next.
 */
export function findMethods(
  findings: Collector,
  model: CapModel,
  referred: ReadonlySet<number>,
): FoundMethods {
  const { descriptor } = model
  const methods = new Map<number, MethodExtent>()
  const described =
    descriptor?.isWhole === true
      ? descriptor.classes
          .flatMap((each) => each.methods)
          .filter((method) => !isOfInterface(method))
          .toSorted((one, other) => one.address - other.address)
      : undefined
  const starts = described
    ? described.map(({ address }) => address)
    : [...referred].toSorted((one, other) => one - other)
  for (const block of model.blocks) {
    let before = block.codeFrom
    const here = starts.flatMap((address, index) =>
      blockOf(address) === block.index ? [{ offset: offsetOf(address), index }] : [],
    )
    here.forEach(({ offset, index }, place) => {
      const method = described?.[index]
      const next = here[place + 1]?.offset
      const header = headerAt(block, offset)
      const end = method ? offset + header.length + method.codeLength : (next ?? block.data.length)
      if (offset < before || end > block.data.length || header.length === 0) {
        // Two descriptors of one method are one finding.
        if (described)
          findings.error(
            'descriptorMethod',
            { component: 'Descriptor', offset: method?.at ?? 0 },
            { target: shownAddress(addressOf(block.index, offset), model.isExtended) },
          )
        return
      }
      if (described && offset > before) gap(block, before, offset)
      before = described ? end : offset + header.length
      const number = methods.size
      methods.set(addressOf(block.index, offset), {
        block,
        from: offset,
        code: offset + header.length,
        end,
        locals: header.locals,
        isAbstract: header.isAbstract,
        place: placeOf(number, offset, { block, method, isExtended: model.isExtended }),
      })
    })
    if (described && before < block.data.length) gap(block, before, block.data.length)
  }
  return { methods, isWhole: described !== undefined }

  function gap(block: MethodBlock, from: number, to: number) {
    findings.error(
      'methodGap',
      { component: 'Method', offset: from },
      { count: to - from, target: shownAddress(addressOf(block.index, from), model.isExtended) },
    )
  }
}

/** Methods of interfaces have no place in the Method component. */
const isOfInterface = ({ address, flags: bits, codeLength }: DescribedMethod) =>
  offsetOf(address) === 0 && (bits & methodFlags.abstract) !== 0 && codeLength === 0

interface Header {
  /** 0 if it is truncated. */
  length: number
  bits: number
  locals: number
  parameters: number
  isAbstract: boolean
}

export function headerAt({ data }: MethodBlock, offset: number): Header {
  const bits = byteAt(data, offset)
  const isExtended = (bits & flags.extended) !== 0
  const length = isExtended ? 4 : 2
  const second = byteAt(data, offset + 1)
  const [parameters, variables] = isExtended
    ? [byteAt(data, offset + 2), byteAt(data, offset + 3)]
    : [second >> 4, second & 0x0f]
  return {
    length: offset + length > data.length ? 0 : length,
    bits: bits & 0xf0,
    parameters,
    locals: parameters + variables,
    isAbstract: (bits & flags.abstract) !== 0,
  }
}

function placeOf(
  number: number,
  offset: number,
  {
    block,
    method,
    isExtended,
  }: { block: MethodBlock; method: DescribedMethod | undefined; isExtended: boolean },
): MethodPlace {
  return {
    number,
    offset,
    ...(isExtended && { block: block.index }),
    ...(method && {
      classOffset: method.classOffset,
      classToken: method.classToken,
      token: method.token,
    }),
  }
}

/** Checks the flags of the headers, and that abstract methods have no code. */
export function checkHeaders({ error }: Collector, methods: FoundMethods['methods']): void {
  for (const { block, from, place } of methods.values()) {
    const { bits } = headerAt(block, from)
    if ((bits & flags.unknown) !== 0)
      error(
        'methodFlags',
        { component: 'Method', offset: from, method: place },
        { flags: hexOf(bits, 2) },
      )
  }
}
