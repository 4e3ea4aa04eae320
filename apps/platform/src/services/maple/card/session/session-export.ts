import { Readable } from 'node:stream'
import type { Exchange } from '@grove/contract/maple/card/session'
import type { ExportFormat } from '@grove/contract/maple/card/session.rules'
import { statusWord } from '@grove/secure-element/status-word'
import type { Actor } from '../../../../core/actor.ts'
import type { SessionContext } from '../context.ts'
import { exchangeOf, nameOf } from './exchange-record.ts'
import { readExchanges } from './exchange.queries.ts'
import type { SessionFacts } from './session.queries.ts'
import { sessionOf, withRights } from './session.service.ts'

export interface SessionFile {
  name: string
  type: string
  body: Readable
}

const batch = 500
const types = {
  text: ['txt', 'text/plain'],
  json: ['json', 'application/json'],
  script: ['apdu', 'text/plain'],
} as const

/**
 * The log of a session as a file, streamed at the reader's speed. @throws ProblemError `not_found`.
 */
export async function exportSession(
  context: SessionContext,
  actor: Actor,
  { id, format }: { id: string; format: ExportFormat },
): Promise<SessionFile> {
  const session = await sessionOf(context, actor, id)
  const [extension, type] = types[format]
  const lines = writers[format](context, actor, session)
  return {
    name: `session-${id}.${extension}`,
    type: `${type}; charset=utf-8`,
    body: Readable.from(lines, { objectMode: false }),
  }
}

/** Every exchange of a session, in order. */
export async function* exchangesOf(
  { db }: SessionContext,
  session: Pick<SessionFacts, 'id' | 'day'>,
): AsyncGenerator<Exchange> {
  for (let last = 0; ;) {
    const records = await readExchanges(db, session, { after: last, limit: batch })
    for (const record of records) yield exchangeOf(record)
    last = records.at(-1)?.seq ?? last
    if (records.length < batch) return
  }
}

const writers: Record<
  ExportFormat,
  (context: SessionContext, actor: Actor, session: SessionFacts) => AsyncGenerator<string>
> = { text: asText, json: asJson, script: asScript }

async function* asText(context: SessionContext, _actor: Actor, session: SessionFacts) {
  yield `Session ${session.id}\nElement ${session.cplc}\nOpened ${session.openedAt}\nState ${session.state}${endOf(session)}\n`
  for await (const each of exchangesOf(context, session)) {
    const { seq, at, latencyMs, redacted, problem } = each
    const time = latencyMs === null ? '' : ` (${latencyMs.toFixed(1)} ms)`
    yield `\n#${seq} ${at} ${titleOf(each)}${time}\n`
    if (redacted)
      yield `   Redacted (${redacted.reason}): the zeros in the data stand for bytes that were not stored.\n`
    if (each.command !== null) yield `>> ${each.command}\n`
    if (each.wrapped?.command) yield `>> ${each.wrapped.command} (protected)\n`
    if (each.wrapped?.reply) yield `<< ${each.wrapped.reply} (protected)\n`
    if (each.reply !== null) yield `<< ${each.reply}\n`
    if (each.outcome === 'unknown')
      yield `<< no definite answer: it is unknown whether the card ran it\n`
    if (each.statusWord !== null) yield `   ${wordOf(each.statusWord)}\n`
    if (problem !== null) yield `   The secure channel refused the reply: ${problem}\n`
  }
}

const endOf = ({ endReason, failure }: SessionFacts) => {
  if (failure) return `: ${failure.message}`
  return endReason === null ? '' : `: ${endReason.replace('_', ' ')}`
}

const titleOf = ({ command, wrapped }: Exchange) =>
  (command && nameOf(command)) ?? (wrapped?.command && nameOf(wrapped.command)) ?? 'command'

const wordOf = (text: string) => {
  const { code, name } = statusWord(Number.parseInt(text, 16))
  return `${code} ${name}`
}

async function* asJson(context: SessionContext, actor: Actor, session: SessionFacts) {
  yield `{"session":${JSON.stringify(withRights(actor, session))},"exchanges":[`
  let separator = '\n'
  for await (const exchange of exchangesOf(context, session)) {
    yield `${separator}${JSON.stringify(exchange)}`
    separator = ',\n'
  }
  yield '\n]}\n'
}

/**
 * One command per line, as `opensc-tool -s` takes it and GPShell scripts write it after `send_apdu
 * -APDU`. Protected commands appear in plain form: a replay protects them again.
 */
async function* asScript(context: SessionContext, _actor: Actor, session: SessionFacts) {
  yield `# Session ${session.id} with ${session.cplc}, ${session.openedAt}\n`
  for await (const each of exchangesOf(context, session)) {
    const { command, redacted, statusWord: word } = each
    if (command === null) continue
    if (redacted)
      yield `# ${titleOf(each)}: left out, its data was not stored (${redacted.reason})\n`
    else yield `${command} # ${titleOf(each)} ${word ?? 'unknown'}\n`
  }
}
