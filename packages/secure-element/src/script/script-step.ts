import type { PrivilegeName } from '../privileges.ts'

/** Keys in a script, in hex. They are secrets: show and store them accordingly. */
export interface ScriptKeys {
  enc: string
  mac: string
  dek: string
}

/** One step of a script for a card, whatever tool it was written for. AIDs and data are hex. */
export type ScriptStep =
  | { kind: 'select'; aid?: string }
  | {
      kind: 'open'
      /** P1 of EXTERNAL AUTHENTICATE; the tool's choice if absent. */
      level?: number
      keyVersion?: number
      keys?: ScriptKeys
      diversification?: string
    }
  /** `element`: P1 of GET STATUS; the applications if absent. */
  | { kind: 'list'; element?: number }
  | { kind: 'load'; file: string; domainAid?: string }
  | {
      kind: 'install'
      /** A CAP file to load first. */
      file?: string
      loadFileAid?: string
      moduleAid?: string
      instanceAid?: string
      domainAid?: string
      privileges: PrivilegeName[]
      parameters?: string
    }
  | { kind: 'makeDomain'; aid: string; domainAid?: string; privileges: PrivilegeName[] }
  | { kind: 'uninstall'; file: string }
  | { kind: 'delete'; aid: string; withRelated: boolean }
  | { kind: 'lock'; aid: string; isLocked: boolean }
  | { kind: 'cardState'; state: 'initialized' | 'secured' | 'cardLocked' | 'cardUnlocked' }
  | { kind: 'move'; aid: string; domainAid: string }
  | { kind: 'putKeys'; keys: ScriptKeys; version?: number; replaces?: number }
  | { kind: 'storeData'; data: string; aid?: string }
  | { kind: 'getData'; tag: string }
  | { kind: 'apdu'; hex: string; isSecured: boolean }

/** Part of a script that could not be converted. */
export interface ScriptProblem {
  /** Counted from 1. */
  line: number
  text: string
  reason: 'unknown' | 'missing' | 'wrongValue'
}

export interface ReadScript {
  steps: ScriptStep[]
  /** The line of each step, counted from 1. */
  lines: number[]
  problems: ScriptProblem[]
}

/** The words of a line, split like in a shell: quotes hold words together, `#` begins a comment. */
export function wordsOf(line: string): string[] {
  const words: string[] = []
  for (const [, single, double, bare = ''] of line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)) {
    const word = single ?? double ?? bare
    if (single === undefined && double === undefined && /^(#|\/\/)/.test(word)) break
    words.push(word)
  }
  return words
}

export const isHex = (text: string): boolean => /^([0-9A-Fa-f]{2})*$/.test(text)
export const isAid = (text: string): boolean =>
  isHex(text) && text.length >= 10 && text.length <= 32

/** Lines, joined where they end in a backslash. */
export function linesOf(text: string): { line: number; text: string }[] {
  const lines: { line: number; text: string }[] = []
  let open: { line: number; text: string } | undefined
  for (const [index, each] of text.split(/\r?\n/).entries()) {
    const current: { line: number; text: string } = open ?? { line: index + 1, text: '' }
    const isContinued = each.endsWith('\\')
    current.text += isContinued ? `${each.slice(0, -1)} ` : each
    open = isContinued ? current : undefined
    if (!open) lines.push(current)
  }
  return open ? [...lines, open] : lines
}
