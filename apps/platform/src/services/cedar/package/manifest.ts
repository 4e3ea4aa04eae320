import { DeepJsonError, deepestJson, readJson } from '../../../core/json-depth.ts'
import { createFindings, printable, type Findings } from './package-report.ts'

/** What the platform reads from a manifest of either profile. */
export interface PackageManifest {
  appId: string | null
  name: string | null
  versionCode: number | null
  versionName: string | null
  pages: string[]
  permissions: string[]
  /** Permissions that the mini-app can work without. */
  optionalPermissions: string[]
}

export const MANIFEST_PATH = 'manifest.json'
export const MANIFEST_LIMIT = 256 * 1024

type JsonObject = Record<string, unknown>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isInteger = (value: unknown): value is number => Number.isSafeInteger(value)

export function parseManifest(text: Buffer, findings: Findings): JsonObject | null {
  try {
    // Not `ignoreBOM`: a byte-order mark is dropped, as editors on Windows still write one.
    const value = readJson(new TextDecoder('utf-8', { fatal: true }).decode(text))
    if (isObject(value)) return value
  } catch (error) {
    if (error instanceof DeepJsonError) {
      findings.add('manifest-too-deep', MANIFEST_PATH, { limit: deepestJson })
      return null
    }
    // Falls through to the finding: the error's position helps less than a validator.
  }
  findings.add('manifest-not-json', MANIFEST_PATH)
  return null
}

export function summariseManifest(manifest: JsonObject): PackageManifest {
  const version = isObject(manifest.version) ? manifest.version : {}
  const versionName = isText(manifest.version) ? manifest.version : version.name
  return {
    appId: isText(manifest.app_id) ? manifest.app_id : null,
    name: isText(manifest.name) ? manifest.name : null,
    versionCode: isInteger(version.code) ? version.code : null,
    versionName: isText(versionName) ? versionName : null,
    pages: Array.isArray(manifest.pages) ? manifest.pages.filter(isText) : [],
    permissions: permissionNames(manifest.req_permissions ?? manifest.reqPermissions),
    optionalPermissions: permissionNames(manifest.opt_permissions ?? manifest.optPermissions),
  }
}

interface Permission {
  name: string
  /** The stated reason for the permission. */
  reason: string | null
}

function permissionsOf(manifest: JsonObject): Permission[] {
  const asked = manifest.req_permissions ?? manifest.reqPermissions
  if (!Array.isArray(asked)) return []
  return asked.flatMap((item: unknown) =>
    isObject(item) && isText(item.name)
      ? [{ name: item.name, reason: isText(item.reason) ? item.reason : null }]
      : [],
  )
}

/** The manifest's settings for running the mini-app; empty if it is not readable. */
export function manifestFacts(text: Buffer | undefined) {
  const manifest = (text && parseManifest(text, createFindings())) ?? {}
  return {
    pages: summariseManifest(manifest).pages,
    permissions: permissionsOf(manifest)
      .slice(0, maxPermissions)
      .map(({ name, reason }) => ({
        name: printable(name),
        reason: reason === null ? null : printable(reason),
      })),
  }
}

const maxPermissions = 100

/**
 * The names of permissions, without duplicates. Those beyond the report's limit are requested all the
 * same.
 */
function permissionNames(asked: unknown): string[] {
  if (!Array.isArray(asked)) return []
  const names = asked.flatMap((item: unknown) => {
    const name = isObject(item) ? item.name : item
    return isText(name) ? [printable(name)] : []
  })
  const each = [...new Set(names)]
  const more = each.length - maxPermissions
  return more > 0 ? [...each.slice(0, maxPermissions), `… ${more} more`] : each
}

interface Expectation {
  expected: string
  test: (value: unknown) => boolean
}

const text: Expectation = { expected: 'a text that is not empty', test: isText }
const integer: Expectation = { expected: 'a whole number', test: isInteger }
const object: Expectation = { expected: 'an object', test: isObject }
const list: Expectation = { expected: 'a list', test: Array.isArray }
const nonEmptyList: Expectation = {
  expected: 'a list that is not empty',
  test: (value) => Array.isArray(value) && value.length > 0,
}
const textList: Expectation = {
  expected: 'a list of texts',
  test: (value) => Array.isArray(value) && value.every(isText),
}
const oneOf = (...values: string[]): Expectation => ({
  expected: values.join(' or '),
  test: (value) => typeof value === 'string' && values.includes(value),
})
const locale: Expectation = {
  expected: 'a language tag such as en-US',
  test: (value) => {
    try {
      return isText(value) && Intl.getCanonicalLocales(value).length === 1
    } catch {
      return false
    }
  },
}
// The draft's table says text and its prose says number, so both are valid.
const integerOrText: Expectation = {
  expected: 'a whole number',
  test: (value) => isInteger(value) || (typeof value === 'string' && /^\d+$/.test(value)),
}

const REQUIRED: Record<string, Expectation> = {
  app_id: text,
  name: text,
  icons: nonEmptyList,
  pages: nonEmptyList,
  version: object,
  platform_version: object,
}
const OPTIONAL: Record<string, Expectation> = {
  short_name: text,
  description: text,
  lang: locale,
  dir: oneOf('ltr', 'rtl', 'auto'),
  color_scheme: oneOf('auto', 'light', 'dark'),
  device_type: textList,
  req_permissions: list,
  widgets: list,
  window: object,
}
// The published JSON Schema nests these under `version`; its prose has them at the top.
const MISPLACED = ['platform_version', 'pages', 'window', 'req_permissions', 'widgets']

/** Checks a manifest against the prose of MiniApp Manifest (2025-01-28). */
export function checkW3cManifest(
  manifest: JsonObject,
  paths: ReadonlySet<string>,
  findings: Findings,
): void {
  const check = (value: unknown, field: string, rule: Expectation, isRequired: boolean) => {
    if (value === undefined) {
      if (isRequired) findings.add('manifest-field-missing', MANIFEST_PATH, { field })
    } else if (!rule.test(value)) {
      const params = { field, expected: rule.expected }
      findings.add('manifest-field-type', MANIFEST_PATH, params)
    }
  }
  const checkItems = (value: unknown, field: string, members: string[]) => {
    if (!Array.isArray(value)) return
    for (const [index, item] of value.slice(0, 100).entries()) {
      const at = `${field}[${index}]`
      check(item, at, object, true)
      if (isObject(item)) for (const name of members) check(item[name], `${at}.${name}`, text, true)
    }
  }

  const version = isObject(manifest.version) ? manifest.version : null
  for (const [field, rule] of Object.entries(REQUIRED)) {
    if (manifest[field] === undefined && version && MISPLACED.includes(field) && field in version) {
      findings.add('manifest-field-misplaced', MANIFEST_PATH, { field })
    } else {
      check(manifest[field], field, rule, true)
    }
  }
  for (const [field, rule] of Object.entries(OPTIONAL)) check(manifest[field], field, rule, false)
  if (version) {
    check(version.code, 'version.code', integer, true)
    check(version.name, 'version.name', text, true)
    if (isText(version.name) && !/^\d+\.\d+\.\d+$/.test(version.name)) {
      findings.add('manifest-version-name', MANIFEST_PATH)
    }
  }
  const platform = manifest.platform_version
  if (isObject(platform)) {
    check(platform.min_code, 'platform_version.min_code', integer, true)
    check(platform.target_code, 'platform_version.target_code', integerOrText, false)
    check(platform.release_type, 'platform_version.release_type', text, false)
  }
  checkItems(manifest.icons, 'icons', ['src'])
  checkItems(manifest.req_permissions, 'req_permissions', ['name'])
  checkItems(manifest.widgets, 'widgets', ['name', 'path'])

  const exists = (file: string, field: string) => {
    if (!paths.has(file)) findings.add('manifest-file-missing', MANIFEST_PATH, { file, field })
  }
  if (Array.isArray(manifest.pages)) {
    for (const [index, page] of manifest.pages.slice(0, 100).entries()) {
      check(page, `pages[${index}]`, text, true)
      if (isText(page)) exists(`${page}.html`, `pages[${index}]`)
    }
  }
  if (Array.isArray(manifest.icons)) {
    for (const [index, icon] of manifest.icons.slice(0, 100).entries()) {
      if (isObject(icon) && isText(icon.src)) exists(icon.src, `icons[${index}].src`)
    }
  }
}
