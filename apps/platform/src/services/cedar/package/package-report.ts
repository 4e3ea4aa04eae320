import type { Repair } from '@grove/contract/cedar/package-report'
import type { PackageManifest } from './manifest.ts'
import { packageRules, type PackageRuleId, type Severity } from './package-rules.ts'

export type FindingParams = Record<string, string | number>

export interface FindingPlace {
  /** The path inside the package, made printable; null if the finding concerns the whole archive. */
  path: string | null
  message: string
  fix: string
  /** The values of the message and the fix, for translating the rule. */
  params: FindingParams
}

/** All findings of one rule: how many, and the first locations. */
export interface Finding {
  rule: PackageRuleId
  severity: Severity
  count: number
  places: FindingPlace[]
}

export type PackageProfile = 'web' | 'w3c'

export interface PackageReport {
  ok: boolean
  profile: PackageProfile | null
  /** The start page of the mini-app, as a path inside the package. */
  startPage: string | null
  /** Errors first. */
  findings: Finding[]
  /** The changes that would make the archive pass; empty if it passes or no changes suffice. */
  repairs: Repair[]
  files: number
  /** Bytes actually inflated; a package refused by its directory is not inflated. */
  inflatedBytes: number
  manifest: PackageManifest | null
  heaviest: { path: string; bytes: number }[]
}

export interface Findings {
  add(rule: PackageRuleId, path?: string | null, params?: FindingParams): void
  /** Violated rules of severity `error`. */
  errors(): PackageRuleId[]
  list(): Finding[]
}

/**
 * A report is stored and listed with its version, so its size is bounded whatever the zip contains.
 */
const placesPerRule = 10
const placesPerReport = 100

export function createFindings(): Findings {
  const byRule = new Map<PackageRuleId, Finding>()
  let places = 0
  const withSeverity = (wanted: Severity) =>
    [...byRule.values()].filter(({ severity }) => severity === wanted)
  return {
    add(rule, path = null, params = {}) {
      const { severity, message, fix } = packageRules[rule]
      const finding = byRule.get(rule) ?? { rule, severity, count: 0, places: [] }
      byRule.set(rule, finding)
      finding.count += 1
      const isFull = finding.places.length >= placesPerRule || places >= placesPerReport
      if (isFull && finding.count > 1) return
      places += 1
      const fill = (text: string) =>
        text.replace(/\{(\w+)\}/g, (_, name: string) => printable(String(params[name] ?? '')))
      finding.places.push({
        path: path === null ? null : printable(path),
        message: fill(message),
        fix: fill(fix),
        params: bounded(params),
      })
    },
    errors: () => withSeverity('error').map(({ rule }) => rule),
    list: () => [...withSeverity('error'), ...withSeverity('warning')],
  }
}

const bounded = (params: FindingParams): FindingParams =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'string' ? printable(value) : value,
    ]),
  )

const MAX_PRINTED = 200

/**
 * Escapes characters that could hide or reorder text on a screen or break a log line, and truncates.
 */
export function printable(text: string): string {
  const escaped = text.replace(
    /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const characters = Array.from(escaped)
  if (characters.length <= MAX_PRINTED) return escaped
  return `${characters.slice(0, MAX_PRINTED).join('')}…`
}
