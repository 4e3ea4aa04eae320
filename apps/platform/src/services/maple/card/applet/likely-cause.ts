import type { AppletFinding } from '@grove/contract/maple/card/applet-operation'
import type { CommandError } from '@grove/secure-element/host/command-error'
import { packageInWords } from '@grove/secure-element/cap/known-packages'
import type { AppletFacts } from './applet.queries.ts'
import type { CardContents } from './card-contents.ts'
import { checkedImports, finding, type TargetFacts } from './plan-operation.ts'

/**
 * Status words of a card that is out of memory (GlobalPlatform Card Specification 2.3.1, 11.5 and
 * 11.6).
 */
const noRoom = new Set([0x6a84, 0x6581])
const missingImport = 0x6438
/**
 * Status words with which cards refuse a package that they cannot link, or an applet that failed in
 * install().
 */
const unclear = new Set([0x6985, 0x6a80, 0x6a88, 0x6f00, 0x6400, 0x6424, 0x6999])

interface Refused {
  failure: Pick<CommandError, 'statusWord' | 'command'>
  step: string
  applet: AppletFacts
  facts: TargetFacts
  /** The contents of the card before the operation. */
  contents: CardContents
}

/** The probable causes of a refusal to load or install, most likely first. Never certain. */
export function likelyCauses({
  failure: { statusWord = 0, command },
  step,
  applet,
  facts,
  contents,
}: Refused): AppletFinding[] {
  if (step !== 'load' && step !== 'install') return []
  if (noRoom.has(statusWord))
    return [finding('note', 'cause_memory', { needed: String(applet.loadSize) })]
  if (step === 'install') return unclear.has(statusWord) ? [finding('note', 'cause_install')] : []
  if (statusWord !== missingImport && !unclear.has(statusWord)) return []
  const doubtful = checkedImports(applet, facts, contents).filter(({ state }) => state !== 'there')
  const imports = finding('note', 'cause_imports', {
    packages: (doubtful.length > 0 ? doubtful : applet.imports).map(packageInWords).join(', '),
  })
  if (statusWord === missingImport) return [imports]
  return [
    // Refused before a byte of the package was sent: its AID is the most likely reason.
    ...(command.ins === ins.install
      ? [finding('note', 'cause_rom', { aid: applet.packageAid })]
      : []),
    ...(doubtful.length > 0 ? [imports] : []),
    ...(applet.usesIntegers ? [finding('note', 'cause_integers')] : []),
    ...(applet.format === newFormat
      ? [finding('note', 'cause_format', { format: applet.format })]
      : []),
  ]
}

const ins = { install: 0xe6 }
/** Since Java Card 3.1; older cards accept 2.1 and 2.2. */
const newFormat = '2.3'
