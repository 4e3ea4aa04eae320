import { openCap } from '../cap-file.ts'
import { headOf, type ComponentName } from '../components.ts'
import { checkClasses } from './check-classes.ts'
import { checkCode } from './check-code.ts'
import { checkDescriptor } from './check-descriptor.ts'
import { checkDirectory } from './check-directory.ts'
import { checkHandlers } from './check-handlers.ts'
import { checkExports, checkPackage } from './check-package.ts'
import { checkPool } from './check-pool.ts'
import { checkReferences } from './check-references.ts'
import { checkResources } from './check-resources.ts'
import { emptyMap, type CodeContext, type MethodExtent } from './code-context.ts'
import { collector, maxFindings, type CapFinding } from './finding.ts'
import { checkHeaders, findMethods, headerAt } from './find-methods.ts'
import type { CapModel } from './model.ts'
import { readClasses } from './read-classes.ts'
import { readDescriptor } from './read-descriptor.ts'
import { readExports } from './read-exports.ts'
import { readMethods } from './read-methods.ts'
import { readPool } from './read-pool.ts'
import { readStatics } from './read-statics.ts'
import { addressOf, blockOf, offsetOf } from './reader.ts'

export interface CapVerification {
  findings: CapFinding[]
  /** There are more findings than the limit, or more code than is examined. */
  isTruncated: boolean
  /** The number of examined methods. */
  methods: number
  instructions: number
  /** Whether Descriptor says where each method ends. Without it, only reachable code is examined. */
  hasDescriptor: boolean
}

/** About a megabyte of code, which is more than any card has. */
const maxInstructions = 500_000

/**
 * Verifies the structure and references of a CAP file (Java Card VM Specification 3.1, chapters 6 and
 * 7): all components and every instruction with its operands. Unlike Oracle's verifier it does not
 * follow the types of values through the code; it does not compare with export files or execute
 * anything. Its time and memory grow only with the size of the file, and it examines at most half a
 * million instructions.
 * @throws CapError if it is not a CAP file.
 */
export function verifyCap(
  archive: Uint8Array,
  { limit = maxFindings }: { limit?: number } = {},
): CapVerification {
  const { cap, components } = openCap(archive)
  const { isExtended = false, format, usesIntegers, imports } = cap
  const findings = collector(limit)
  const contentOf = (name: ComponentName) =>
    components[name]?.subarray(headOf(name, isExtended)) ?? new Uint8Array()
  const statics = readStatics(findings, contentOf('StaticField'))
  const pool = readPool(findings, contentOf('ConstantPool'), {
    isExtended,
    imports: imports.length,
  })
  const model: CapModel = {
    isExtended,
    format,
    usesIntegers,
    imports,
    statics,
    pool,
    classes: readClasses(findings, contentOf('Class'), { isExtended, format }),
    blocks: readMethods(findings, contentOf('Method'), isExtended),
    exports: components.Export ? readExports(findings, contentOf('Export'), isExtended) : [],
    descriptor: components.Descriptor
      ? readDescriptor(findings, contentOf('Descriptor'), { isExtended, constants: pool.length })
      : undefined,
  }
  checkDirectory(findings, contentOf('Directory'), {
    cap,
    components,
    statics,
    blocks: model.blocks.length,
  })
  const referred = new Set([
    ...cap.applets.map(({ methodBlock = 0, installOffset }) =>
      addressOf(methodBlock, installOffset),
    ),
    ...referredBy(model),
  ])
  const { methods, isWhole } = findMethods(findings, model, new Set([...referred].filter(isPlace)))
  const isMethod = (address: number) => methods.has(address)
  checkPackage(findings, cap, model, isMethod)
  checkClasses(findings, model, isMethod)
  checkPool(findings, model, isMethod)
  checkExports(findings, model, isMethod)
  if (model.descriptor?.isWhole === true) checkDescriptor(findings, model, model.descriptor)
  checkHeaders(findings, methods)
  const context: CodeContext = {
    findings,
    model,
    maps: model.blocks.map(emptyMap),
    counted: { instructions: 0, limit: maxInstructions },
  }
  const all = [...methods.values()]
  for (const method of all)
    if (!method.isAbstract)
      checkCode(context, method, { isWhole, entries: isWhole ? [] : handlersIn(method) })
  checkHandlers(context, all, isWhole)
  checkReferences(context, contentOf('RefLocation'), isWhole)
  if (components.StaticResources) checkResources(findings, contentOf('StaticResources'))
  return {
    findings: findings.findings,
    isTruncated: findings.isTruncated() || context.counted.instructions >= maxInstructions,
    methods: methods.size,
    instructions: context.counted.instructions,
    hasDescriptor: isWhole,
  }

  /** Whether a header fits at an address. */
  function isPlace(address: number): boolean {
    const block = model.blocks[blockOf(address)]
    return (
      block !== undefined &&
      offsetOf(address) >= block.codeFrom &&
      offsetOf(address) < block.data.length &&
      headerAt(block, offsetOf(address)).length > 0
    )
  }
}

const handlersIn = ({ block, code, end }: MethodExtent): number[] =>
  block.handlers.flatMap(({ start, target }) => (start >= code && start < end ? [target] : []))

/** Methods referred to by classes, constants and exports. */
const referredBy = ({ classes, pool, exports }: CapModel): number[] => [
  ...[...classes.values()].flatMap(({ publicMethods, packageMethods }) =>
    [...publicMethods, ...packageMethods].filter((each) => each !== undefined),
  ),
  ...pool.flatMap((entry) =>
    entry?.kind === 'staticMethod' && entry.target !== undefined ? [entry.target] : [],
  ),
  ...exports.flatMap((each) => each.flatMap(({ methods }) => methods)),
]
