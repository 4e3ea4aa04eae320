import { privilegeNames, type PrivilegeName } from '../privileges.ts'
import {
  isAid,
  isHex,
  linesOf,
  wordsOf,
  type ReadScript,
  type ScriptKeys,
  type ScriptProblem,
  type ScriptStep,
} from './script-step.ts'

/** Short names of options of GlobalPlatformPro 236a610 (GPCommandLineInterface). */
const short: Record<string, string> = {
  c: 'connect',
  d: 'debug',
  v: 'verbose',
  r: 'reader',
  l: 'list',
  i: 'info',
  a: 'apdu',
  s: 'secure-apdu',
  f: 'force',
  k: 'key',
  pkg: 'package',
  privileges: 'privs',
}

const valued = new Set([
  'connect',
  'apdu',
  'secure-apdu',
  'load',
  'cap',
  'create',
  'applet',
  'package',
  'install',
  'params',
  'privs',
  'uninstall',
  'delete',
  'domain',
  'lock-applet',
  'unlock-applet',
  'key',
  'key-kdf',
  'key-enc',
  'key-mac',
  'key-dek',
  'lock',
  'lock-enc',
  'lock-mac',
  'lock-dek',
  'key-ver',
  'new-keyver',
  'move',
  'to',
  'store-data',
  'personalize',
  'mode',
  'reader',
])
const flags = new Set([
  'list',
  'info',
  'force',
  'default',
  'lock-card',
  'unlock-card',
  'initialize-card',
  'secure-card',
])
/** The options that become steps, for completion in a prompt. */
export const gpOptions: readonly string[] = [
  '--list',
  '--apdu',
  '--secure-apdu',
  '--connect',
  '--delete',
  '--force',
  '--lock-applet',
  '--unlock-applet',
  '--domain',
  '--create',
  '--applet',
  '--package',
  '--privs',
  '--params',
  '--store-data',
  '--personalize',
  '--move',
  '--to',
  '--mode',
  '--key-ver',
]

/** They change the tool's output, not what is sent. */
const ignored = new Set(['debug', 'verbose', 'reader', 'info'])

const modes: Record<string, number> = { clr: 0x00, mac: 0x01, enc: 0x03, rmac: 0x11, renc: 0x33 }

type Option = [name: string, value: string]

/** The options of a command line, and the words that are not options. */
function optionsOf(words: readonly string[]): { options: Option[]; unknown: string[] } {
  const options: Option[] = []
  const unknown: string[] = []
  const left = [...words]
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    const [, given = '', joined] = /^--?([A-Za-z0-9-]+)(?:=(.*))?$/.exec(word) ?? []
    const name = short[given] ?? given
    if (ignored.has(name)) {
      if (name === 'reader' && joined === undefined) left.shift()
    } else if (flags.has(name)) options.push([name, ''])
    else if (valued.has(name)) options.push([name, joined ?? left.shift() ?? ''])
    else unknown.push(word)
  }
  return { options, unknown }
}

function privilegesOf(options: readonly Option[], fail: () => void): PrivilegeName[] {
  const names = options
    .filter(([name]) => name === 'privs')
    .flatMap(([, value]) => value.split(','))
    .filter((each) => each !== '')
    .flatMap((each) => {
      const found = privilegeNames.find((name) => name.toLowerCase() === each.toLowerCase())
      if (!found) fail()
      return found ? [found] : []
    })
  return options.some(([name]) => name === 'default') ? [...names, 'cardReset'] : names
}

/**
 * Parses command lines of GlobalPlatformPro, one per line, with or without a leading `gp` or `java
 * -jar gp.jar`. Every line opens its own channel if it needs one, like the tool.
 */
export function readGpScript(text: string): ReadScript {
  const steps: ScriptStep[] = []
  const lines: number[] = []
  const problems: ScriptProblem[] = []
  for (const { line, text: source } of linesOf(text)) {
    const words = wordsOf(source).filter((word) => word !== '$')
    const from = words.findIndex((word) => word.startsWith('-') && word !== '-jar')
    if (words.length === 0) continue
    const problem = (reason: ScriptProblem['reason'], what = source.trim()) => {
      problems.push({ line, text: what, reason })
    }
    if (from === -1) {
      problem('unknown')
      continue
    }
    const { options, unknown } = optionsOf(words.slice(from))
    for (const each of unknown) problem('unknown', each)
    for (const step of stepsOf(options, problem)) {
      steps.push(step)
      lines.push(line)
    }
  }
  return { steps, lines, problems }
}

function stepsOf(
  options: readonly Option[],
  problem: (reason: ScriptProblem['reason'], what?: string) => void,
): ScriptStep[] {
  const value = (name: string) => options.find(([each]) => each === name)?.[1]
  const has = (name: string) => value(name) !== undefined
  const checked = (name: string, test: (text: string) => boolean): string | undefined => {
    const found = value(name)
    if (found === undefined || test(found)) return found?.toUpperCase()
    problem(found === '' ? 'missing' : 'wrongValue', `--${name} ${found}`.trim())
    return undefined
  }
  const keysOf = (prefix: 'key' | 'lock'): ScriptKeys | undefined => {
    const all = checked(prefix, isHex)
    const [enc, mac, dek] = ['enc', 'mac', 'dek'].map(
      (each) => checked(`${prefix}-${each}`, isHex) ?? all,
    )
    return enc !== undefined && mac !== undefined && dek !== undefined
      ? { enc, mac, dek }
      : undefined
  }
  const version = (name: string) => {
    const found = checked(name, (text) => /^(0x)?[0-9A-Fa-f]{1,2}$/.test(text))
    return found === undefined ? undefined : Number.parseInt(found.replace(/^0X/, ''), 16)
  }
  const privileges = privilegesOf(options, () => problem('wrongValue', `--privs ${value('privs')}`))
  const domainAid = checked('to', isAid)
  const target = domainAid === undefined ? {} : { domainAid }
  const parameters = checked('params', isHex)

  const before: ScriptStep[] = []
  const inside: ScriptStep[] = []
  const aid = checked('connect', isAid)
  if (has('connect') && aid !== undefined) before.push({ kind: 'select', aid })
  for (const [name, text] of options) {
    // An option may occur several times in a line.
    const wanted = (step: (hex: string) => ScriptStep, test = isAid) => {
      if (text !== '' && test(text)) inside.push(step(text.toUpperCase()))
      else problem(text === '' ? 'missing' : 'wrongValue', `--${name} ${text}`.trim())
    }
    const file = (step: (path: string) => ScriptStep) =>
      text === '' ? problem('missing', `--${name}`) : void inside.push(step(text))
    if (name === 'apdu' && isHex(text) && text !== '')
      before.push({ kind: 'apdu', hex: text.toUpperCase(), isSecured: false })
    else if (name === 'apdu') problem('wrongValue', `--apdu ${text}`)
    else if (name === 'secure-apdu')
      wanted((hex) => ({ kind: 'apdu', hex, isSecured: true }), isHex)
    else if (name === 'list') inside.push({ kind: 'list' })
    else if (name === 'load') file((path) => ({ kind: 'load', file: path, ...target }))
    else if (name === 'uninstall') file((path) => ({ kind: 'uninstall', file: path }))
    else if (name === 'install' || (name === 'create' && !has('install'))) {
      const instanceAid = checked('create', isAid)
      const moduleAid = checked('applet', isAid)
      const loadFileAid = checked('package', isAid)
      const path = name === 'install' ? text : value('cap')
      inside.push({
        kind: 'install',
        ...(path !== undefined && { file: path }),
        ...(loadFileAid !== undefined && { loadFileAid }),
        ...(moduleAid !== undefined && { moduleAid }),
        ...(instanceAid !== undefined && { instanceAid }),
        ...target,
        privileges,
        ...(parameters !== undefined && { parameters }),
      })
    } else if (name === 'delete')
      wanted((hex) => ({ kind: 'delete', aid: hex, withRelated: has('force') }))
    else if (name === 'domain')
      wanted((hex) => ({
        kind: 'makeDomain',
        aid: hex,
        ...target,
        privileges: ['securityDomain', ...privileges],
      }))
    else if (name === 'lock-applet' || name === 'unlock-applet')
      wanted((hex) => ({ kind: 'lock', aid: hex, isLocked: name === 'lock-applet' }))
    else if (name === 'move')
      wanted((hex) => ({ kind: 'move', aid: hex, domainAid: domainAid ?? '' }))
    else if (name === 'store-data') {
      const application = checked('personalize', isAid)
      wanted(
        (hex) => ({ kind: 'storeData', data: hex, ...(application && { aid: application }) }),
        isHex,
      )
    } else if (cardStates[name]) inside.push({ kind: 'cardState', state: cardStates[name] })
  }
  const lock = keysOf('lock')
  if (lock) {
    const newVersion = version('new-keyver')
    inside.push({
      kind: 'putKeys',
      keys: lock,
      ...(newVersion !== undefined && { version: newVersion }),
    })
  }
  if (inside.length === 0) return before
  const keys = keysOf('key')
  const keyVersion = version('key-ver')
  const diversification = value('key-kdf')
  const levels = options.filter(([name]) => name === 'mode').map(([, mode]) => modes[mode])
  if (levels.includes(undefined)) problem('wrongValue', '--mode')
  const level = levels.reduce<number | undefined>(
    (sum, each) => (each === undefined ? sum : (sum ?? 0) | each),
    undefined,
  )
  return [
    ...before,
    {
      kind: 'open',
      ...(level !== undefined && { level }),
      ...(keyVersion !== undefined && { keyVersion }),
      ...(keys && { keys }),
      ...(diversification !== undefined && { diversification }),
    },
    ...inside,
  ]
}

const cardStates: Record<string, (ScriptStep & { kind: 'cardState' })['state']> = {
  'lock-card': 'cardLocked',
  'unlock-card': 'cardUnlocked',
  'initialize-card': 'initialized',
  'secure-card': 'secured',
}

const quoted = (text: string) =>
  /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", '')}'`
const upper = (name: string) => name[0]?.toUpperCase() + name.slice(1)
const hexByte = (value: number) => value.toString(16).toUpperCase().padStart(2, '0')

/** Steps as command lines of GlobalPlatformPro: one line from one channel to the next. */
export function writeGpScript(steps: readonly ScriptStep[]): string {
  const lines: string[][] = []
  let hasChannel = true
  for (const step of steps) {
    const isNew = step.kind === 'select' || (step.kind === 'open' && hasChannel)
    if (isNew || lines.length === 0) lines.push([])
    if (isNew) hasChannel = false
    if (step.kind === 'open') hasChannel = true
    lines.at(-1)?.push(...argumentsOf(step))
  }
  return lines.map((words) => `gp ${words.map(quoted).join(' ')}\n`).join('')
}

const optional = (name: string, value: string | undefined) =>
  value === undefined ? [] : [name, value]

function argumentsOf(step: ScriptStep): string[] {
  const privs = (names: readonly PrivilegeName[]) =>
    names.length === 0 ? [] : ['--privs', names.map(upper).join(',')]
  switch (step.kind) {
    case 'select':
      return ['--connect', step.aid ?? 'A000000151000000']
    case 'open': {
      const { level, keyVersion, keys, diversification } = step
      const isOne = keys && keys.enc === keys.mac && keys.mac === keys.dek
      const named = Object.entries(modes).find(([, value]) => value === level)?.[0]
      return [
        ...optional('--mode', named),
        ...optional('--key-ver', keyVersion === undefined ? undefined : hexByte(keyVersion)),
        ...(keys && isOne ? ['--key', keys.enc] : []),
        ...(keys && !isOne
          ? ['--key-enc', keys.enc, '--key-mac', keys.mac, '--key-dek', keys.dek]
          : []),
        ...optional('--key-kdf', diversification),
      ]
    }
    case 'list':
      return ['--list']
    case 'load':
      return ['--load', step.file, ...optional('--to', step.domainAid)]
    case 'install':
      return [
        ...(step.file === undefined ? [] : ['--install', step.file]),
        ...optional('--package', step.loadFileAid),
        ...optional('--applet', step.moduleAid),
        ...optional('--create', step.instanceAid),
        ...optional('--to', step.domainAid),
        ...privs(step.privileges),
        ...optional('--params', step.parameters),
      ]
    case 'makeDomain':
      return [
        '--domain',
        step.aid,
        ...optional('--to', step.domainAid),
        ...privs(step.privileges.filter((name) => name !== 'securityDomain')),
      ]
    case 'uninstall':
      return ['--uninstall', step.file]
    case 'delete':
      return ['--delete', step.aid, ...(step.withRelated ? ['--force'] : [])]
    case 'lock':
      return [step.isLocked ? '--lock-applet' : '--unlock-applet', step.aid]
    case 'cardState':
      return [`--${Object.entries(cardStates).find(([, state]) => state === step.state)?.[0]}`]
    case 'move':
      return ['--move', step.aid, '--to', step.domainAid]
    case 'putKeys':
      return [
        '--lock-enc',
        step.keys.enc,
        '--lock-mac',
        step.keys.mac,
        '--lock-dek',
        step.keys.dek,
        ...optional('--new-keyver', step.version === undefined ? undefined : hexByte(step.version)),
      ]
    case 'storeData':
      return [...optional('--personalize', step.aid), '--store-data', step.data]
    case 'getData':
      return ['--apdu', `80CA${step.tag.padStart(4, '0')}00`]
    case 'apdu':
      return [step.isSecured ? '--secure-apdu' : '--apdu', step.hex]
  }
}
