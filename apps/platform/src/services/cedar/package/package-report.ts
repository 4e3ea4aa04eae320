import type { PackageManifest } from './manifest.ts'
import { packageRules, type PackageRuleId, type Severity } from './package-rules.ts'

export type FindingParams = Record<string, string | number>

export interface Finding {
  rule: PackageRuleId
  severity: Severity
  /** The path inside the package, made printable; null when the finding is about the whole. */
  path: string | null
  message: string
  fix: string
  /** What the message and the fix are filled with, for a translation of the rule. */
  params: FindingParams
}

export type PackageProfile = 'web' | 'w3c'

export interface PackageReport {
  ok: boolean
  profile: PackageProfile | null
  /** The page that opens the mini-app, as a path inside the package. */
  startPage: string | null
  findings: Finding[]
  files: number
  /** Bytes that were really inflated; a package refused by its directory is not inflated. */
  inflatedBytes: number
  manifest: PackageManifest | null
  heaviest: { path: string; bytes: number }[]
}

export interface Findings {
  list: Finding[]
  hasErrors: boolean
  add(rule: PackageRuleId, path?: string | null, params?: FindingParams): void
  /** The list, with a last finding that counts those left out. */
  close(): Finding[]
}

const MAX_FINDINGS = 100

export function createFindings(): Findings {
  const list: Finding[] = []
  let omitted = 0
  const findings: Findings = {
    list,
    hasErrors: false,
    add(rule, path = null, params = {}) {
      const { severity, message, fix } = packageRules[rule]
      if (severity === 'error') findings.hasErrors = true
      if (list.length >= MAX_FINDINGS) {
        omitted += 1
        return
      }
      const fill = (text: string) =>
        text.replace(/\{(\w+)\}/g, (_, name: string) => printable(String(params[name] ?? '')))
      list.push({
        rule,
        severity,
        path: path === null ? null : printable(path),
        message: fill(message),
        fix: fill(fix),
        params: bounded(params),
      })
    },
    close() {
      if (omitted === 0) return list
      const { severity, message, fix } = packageRules['more-findings']
      const last = message.replace('{count}', String(omitted))
      const params = { count: omitted }
      return [...list, { rule: 'more-findings', severity, path: null, message: last, fix, params }]
    },
  }
  return findings
}

const bounded = (params: FindingParams): FindingParams =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'string' ? printable(value) : value,
    ]),
  )

const MAX_PRINTED = 200

/** Escapes what could hide or reorder text on a screen or break a log line, and cuts the length. */
function printable(text: string): string {
  const escaped = text.replace(
    /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const characters = Array.from(escaped)
  if (characters.length <= MAX_PRINTED) return escaped
  return `${characters.slice(0, MAX_PRINTED).join('')}…`
}
