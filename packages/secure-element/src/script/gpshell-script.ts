import { decodePrivileges, encodePrivileges } from '../privileges.ts'
import {
  isAid,
  isHex,
  linesOf,
  wordsOf,
  type ReadScript,
  type ScriptProblem,
  type ScriptStep,
} from './script-step.ts'

/** Commands of GPShell that send nothing to a card, or that every session sends anyway. */
const silent = new Set([
  'mode_201',
  'mode_211',
  'mode_gp211',
  'enable_trace',
  'enable_timer',
  'establish_context',
  'release_context',
  'card_connect',
  'card_disconnect',
  'list_readers',
  'close_sc',
  'print',
  'exit',
])

/** The commands that become steps, with their options, for completion in a prompt. */
export const gpshellCommands: Readonly<Record<string, readonly string[]>> = {
  select: ['-AID'],
  open_sc: ['-security', '-keyver'],
  get_status: ['-element'],
  get_data: ['-identifier'],
  get_card_recognition_data: [],
  get_extended_card_resources_information: [],
  get_key_information_templates: [],
  store_data: ['-data'],
  delete: ['-AID'],
  install_for_install: ['-pkgAID', '-AID', '-instAID', '-sdAID', '-priv', '-instParam'],
  send_apdu: ['-sc', '-APDU'],
}

const tags: Record<string, string> = {
  get_card_recognition_data: '66',
  get_key_information_templates: 'E0',
  get_extended_card_resources_information: 'FF21',
}

/** Reads a script of GPShell: one command a line, options in the form `-name value`. */
export function readGpshellScript(text: string): ReadScript {
  const steps: ScriptStep[] = []
  const lines: number[] = []
  const problems: ScriptProblem[] = []
  for (const { line, text: source } of linesOf(text)) {
    const [verb = '', ...words] = wordsOf(source)
    if (verb === '' || silent.has(verb)) continue
    const problem = (reason: ScriptProblem['reason'], what = source.trim()) => {
      problems.push({ line, text: what, reason })
      return undefined
    }
    const options = new Map<string, string>()
    for (let at = 0; at < words.length; at += 2)
      options.set((words[at] ?? '').replace(/^-/, '').toLowerCase(), words[at + 1] ?? '')
    const step = stepOf(verb, options, problem)
    if (!step) continue
    steps.push(step)
    lines.push(line)
  }
  return { steps, lines, problems }
}

function stepOf(
  verb: string,
  options: ReadonlyMap<string, string>,
  problem: (reason: ScriptProblem['reason'], what?: string) => undefined,
): ScriptStep | undefined {
  const hex = (name: string, test = isHex) => {
    const found = options.get(name)
    if (found === undefined || test(found)) return found?.toUpperCase()
    return problem('wrongValue', `-${name} ${found}`)
  }
  const number = (name: string) => {
    const found = options.get(name)
    return found === undefined || found === '0' ? undefined : Number(found)
  }
  const keys = () => {
    const one = hex('key')
    const [enc, mac] = [hex('enc_key') ?? one, hex('mac_key') ?? one]
    const dek = hex('kek_key') ?? one ?? enc
    return enc !== undefined && mac !== undefined && dek !== undefined
      ? { enc, mac, dek }
      : undefined
  }
  const [aid, file] = [hex('aid', isAid), options.get('file')]
  const privileges = () => {
    const given = Number(options.get('priv') ?? '0')
    return given === 0 ? [] : decodePrivileges(Uint8Array.of(given & 0xff, 0, 0))
  }
  switch (verb) {
    case 'select':
      return { kind: 'select', ...(aid !== undefined && { aid }) }
    case 'open_sc': {
      const [level, keyVersion, found] = [options.get('security'), number('keyver'), keys()]
      const diversification = options.get('keyderivation')
      return {
        kind: 'open',
        ...(level !== undefined && { level: Number(level) }),
        ...(keyVersion !== undefined && { keyVersion }),
        ...(found && { keys: found }),
        ...(diversification !== undefined && { diversification }),
      }
    }
    case 'get_status': {
      const element = hex('element', (text) => /^[1248]0$/.test(text))
      return {
        kind: 'list',
        ...(element !== undefined && element !== '40' && { element: Number.parseInt(element, 16) }),
      }
    }
    case 'delete':
      return aid === undefined ? problem('missing') : { kind: 'delete', aid, withRelated: true }
    case 'load':
      return file === undefined ? problem('missing') : { kind: 'load', file }
    case 'install':
    case 'install_for_install':
    case 'install_for_make_selectable': {
      const [moduleAid, loadFileAid] = [aid, hex('pkgaid', isAid)]
      const [instanceAid, domainAid] = [hex('instaid', isAid), hex('sdaid', isAid)]
      const parameters = hex('instparam')
      return {
        kind: 'install',
        ...(file !== undefined && { file }),
        ...(loadFileAid !== undefined && { loadFileAid }),
        ...(moduleAid !== undefined && { moduleAid }),
        ...(instanceAid !== undefined && { instanceAid }),
        ...(domainAid !== undefined && { domainAid }),
        privileges: privileges(),
        ...(parameters !== undefined && { parameters }),
      }
    }
    case 'put_sc_key': {
      const [found, replaces, version] = [keys(), number('keyver'), number('newkeyver')]
      if (!found) return problem('missing')
      return {
        kind: 'putKeys',
        keys: found,
        ...(version !== undefined && { version }),
        ...(replaces !== undefined && { replaces }),
      }
    }
    case 'send_apdu':
    case 'send_apdu_nostop': {
      const apdu = hex('apdu')
      return apdu === undefined || apdu === ''
        ? problem('missing')
        : { kind: 'apdu', hex: apdu, isSecured: options.get('sc') === '1' }
    }
    case 'get_data': {
      const tag = hex('identifier')
      return tag === undefined ? problem('missing') : { kind: 'getData', tag }
    }
    case 'store_data': {
      const data = hex('data')
      return data === undefined ? problem('missing') : { kind: 'storeData', data }
    }
    default: {
      const tag = tags[verb]
      return tag === undefined ? problem('unknown') : { kind: 'getData', tag }
    }
  }
}

/** Steps as a script of GPShell. Steps without a command are listed in `left`. */
export function writeGpshellScript(steps: readonly ScriptStep[]): {
  text: string
  left: ScriptStep['kind'][]
} {
  const left: ScriptStep['kind'][] = []
  const lines = steps.flatMap((step) => {
    const line = lineOf(step)
    if (line === undefined) left.push(step.kind)
    return line === undefined ? [] : [line]
  })
  const all = ['mode_211', 'establish_context', 'card_connect', ...lines]
  return { text: `${[...all, 'card_disconnect', 'release_context'].join('\n')}\n`, left }
}

const given = (name: string, value: string | number | undefined) =>
  value === undefined
    ? ''
    : ` -${name} ${typeof value === 'string' && /\s/.test(value) ? `"${value}"` : value}`

function lineOf(step: ScriptStep): string | undefined {
  switch (step.kind) {
    case 'select':
      return `select${given('AID', step.aid ?? 'A000000151000000')}`
    case 'open': {
      const { level = 3, keyVersion = 0, keys, diversification } = step
      const named =
        keys && given('mac_key', keys.mac) + given('enc_key', keys.enc) + given('kek_key', keys.dek)
      return `open_sc -security ${level} -keyind 0 -keyver ${keyVersion}${named ?? ''}${given('keyDerivation', diversification)}`
    }
    case 'list':
      return `get_status -element ${(step.element ?? 0x40).toString(16)}`
    case 'load':
      return `load${given('file', step.file)}`
    case 'install': {
      const [first = 0] = encodePrivileges(step.privileges)
      return `install${given('file', step.file)}${given('pkgAID', step.loadFileAid)}${given('AID', step.moduleAid)}${given('instAID', step.instanceAid)}${given('sdAID', step.domainAid)}${first === 0 ? '' : ` -priv ${first}`}${given('instParam', step.parameters)}`
    }
    case 'delete':
      return `delete${given('AID', step.aid)}`
    case 'putKeys':
      return `put_sc_key -keyver ${step.replaces ?? 0}${given('newkeyver', step.version)}${given('mac_key', step.keys.mac)}${given('enc_key', step.keys.enc)}${given('kek_key', step.keys.dek)}`
    case 'storeData':
      return step.aid === undefined ? `store_data${given('data', step.data)}` : undefined
    case 'getData':
      return `get_data${given('identifier', step.tag)}`
    case 'apdu':
      return `send_apdu -sc ${step.isSecured ? 1 : 0} -APDU ${step.hex}`
    default:
      return undefined
  }
}
