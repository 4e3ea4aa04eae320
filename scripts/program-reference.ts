// Writes the names that the editor completes, and the limits of programs, into docs/programs.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  handlerEvents,
  handlerLimits,
  maxHandlerCodeLength,
  maxHandlers,
  maxHookBodyLength,
  retryWait,
} from '../packages/contract/src/maple/program/handler.rules.ts'
import {
  maxScriptElements,
  maxScriptLength,
  scriptRunDays,
} from '../packages/contract/src/maple/program/script.rules.ts'
import {
  maxDeviceHandlerCodeLength,
  maxDeviceHandlers,
  maxPayloadLength,
} from '../packages/contract/src/maple/program/device-handler.rules.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
export const reference = join(root, 'docs/programs.md')
const programs = 'apps/console/src/features/maple/program'

const property = /(ofEvent|option)\('(\w+)', t`([^`]*)`\)/
const named =
  /name: '(\w+)',\s*(?:of: '(\w+)',\s*)?(?:type: '\w+',\s*)?(?:signature: [`']([^`']*(?:'\d+'[^`']*)*)[`'],\s*)?text: t`([^`]*)`/

/** The names that an editor completes, as a table, read from its own list. */
export function namesOf(file: string): string {
  const source = readFileSync(join(root, programs, file), 'utf8')
  const replies = new Map(
    [...source.matchAll(/const (reply|answer) = '([^']*)'/g)].map(([, name, text]) => [name, text]),
  )
  const rows = [...source.matchAll(new RegExp(`${property.source}|${named.source}`, 'g'))].map(
    ([, how, own, ownText, name, of, signature = '', text]) => {
      const full = own
        ? `${how === 'option' ? 'answer' : 'event'}.${own}`
        : `${of ? `${of}.` : ''}${name}`
      const shape = signature.replaceAll(
        /\$\{(\w+)\}/g,
        (_, reply: string) => replies.get(reply) ?? '',
      )
      return `| \`${full}${shape}\` | ${ownText ?? text} |`
    },
  )
  return ['| Name | |', '|---|---|', ...rows].join('\n')
}

const number = (value: number) => value.toLocaleString('en-US')
const { milliseconds, calls, kilobytes, attempts } = handlerLimits

const parts: Record<string, () => string> = {
  'handler names': () => namesOf('cloud-handler/handler-names.ts'),
  'handler events': () => handlerEvents.map((event) => `\`${event}\``).join(', ') + '.',
  'handler limits': () =>
    [
      '| | by default | at most |',
      '|---|---|---|',
      `| Time of one attempt | ${milliseconds.ordinary / 1000} s | ${milliseconds.most / 1000} s |`,
      `| Requests of one attempt | ${calls.ordinary} | ${calls.most} |`,
      `| What they answer, together | ${number(kilobytes.ordinary)} KiB | ${number(kilobytes.most)} KiB |`,
      `| Attempts, with waits from ${retryWait.first} s that double up to ${retryWait.most / 60} minutes | ${attempts.ordinary} | ${attempts.most} |`,
      `| Characters of the code | | ${number(maxHandlerCodeLength)} |`,
      `| Body of a webhook | | ${number(maxHookBodyLength)} bytes |`,
      `| Handlers of a provider | | ${maxHandlers} |`,
    ].join('\n'),
  'script names': () => namesOf('script/script-names.ts'),
  'script limits': () =>
    [
      '| | at most |',
      '|---|---|',
      `| Characters of a script | ${number(maxScriptLength)} |`,
      `| Elements of one start | ${number(maxScriptElements)} |`,
      `| Days that a run is kept | ${scriptRunDays} |`,
    ].join('\n'),
  'device handler limits': () =>
    [
      '| | at most |',
      '|---|---|',
      `| Characters of the code | ${number(maxDeviceHandlerCodeLength)} |`,
      `| Bytes of a payload | ${number(maxPayloadLength)} |`,
      `| Handlers of a provider | ${maxDeviceHandlers} |`,
    ].join('\n'),
}

const part = /<!-- written: ([\w ]+) -->\n[^]*?<!-- end -->/g

/** The reference for the current code. @throws Error for a part that no writer covers. */
export const written = (text: string) =>
  text.replaceAll(part, (_, name: string) => {
    const write = parts[name]
    if (!write) throw new Error(`Nothing writes ${name}.`)
    return `<!-- written: ${name} -->\n\n${write()}\n\n<!-- end -->`
  })

if (import.meta.filename === process.argv[1])
  writeFileSync(reference, written(readFileSync(reference, 'utf8')))
