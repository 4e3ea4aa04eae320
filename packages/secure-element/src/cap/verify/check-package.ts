import type { CapFile } from '../cap-file.ts'
import type { Collector } from './finding.ts'
import { headerAt } from './find-methods.ts'
import type { CapModel } from './model.ts'
import { addressOf, blockOf, offsetOf, shownAddress } from './reader.ts'

const ridLength = 10
/** The index of an import in a constant has seven bits. */
const maxImports = 128

/** Checks imports, applets and exports against the header. */
export function checkPackage(
  { error, warn }: Collector,
  cap: CapFile,
  model: CapModel,
  isMethod: (address: number) => boolean,
): void {
  const seen = new Set<string>()
  if (cap.imports.length > maxImports)
    error('tooManyImports', { component: 'Import' }, { count: cap.imports.length })
  for (const { aid } of cap.imports) {
    if (aid === cap.aid) error('importSelf', { component: 'Import' })
    if (seen.has(aid)) error('importTwice', { component: 'Import' }, { aid })
    seen.add(aid)
  }
  const has = (name: string) => cap.components.some((each) => each.name === name)
  if (!cap.hasExports && has('Export')) error('headerExports', { component: 'Header' })
  if (!cap.hasApplets && has('Applet')) error('headerApplets', { component: 'Header' })
  const rid = cap.aid.slice(0, ridLength)
  for (const { aid, installOffset, methodBlock = 0 } of cap.applets) {
    const place = { component: 'Applet' } as const
    if (!aid.startsWith(rid)) error('appletRid', place, { aid, rid })
    if (aid === cap.aid) warn('appletAid', place, { aid })
    const address = addressOf(methodBlock, installOffset)
    if (!isMethod(address)) {
      error('appletInstall', place, { aid, target: shownAddress(address, model.isExtended) })
      continue
    }
    const block = model.blocks[blockOf(address)]
    const header = block && headerAt(block, offsetOf(address))
    if (header && (header.parameters !== installWords || header.isAbstract))
      error('installShape', place, { aid, found: header.parameters })
  }
}

/** install(byte[], short, byte) */
const installWords = 3

/** Checks the exported classes, fields and methods (Java Card VM Specification 3.1, 6.13). */
export function checkExports(
  { error }: Collector,
  model: CapModel,
  isMethod: (address: number) => boolean,
): void {
  const place = { component: 'Export' } as const
  const { size } = model.statics
  for (const classes of model.exports)
    classes.forEach(({ offset, fields, methods }, index) => {
      if (!model.classes.has(offset))
        error('exportClass', place, { index, target: shownAddress(offset, false) })
      for (const target of fields)
        if (target >= size)
          error('exportField', place, { index, target: shownAddress(target, false), size })
      for (const target of methods)
        if (!isMethod(target))
          error('exportMethod', place, {
            index,
            target: shownAddress(target, model.isExtended),
          })
    })
}
