import { readJson } from '../../../../../core/json-depth.ts'
import { unseal } from '../../../../../core/sealed.ts'
import type { MapleDb } from '../../../base/tables.ts'
import { BrokerRefusal, type BrokerClient } from './broker-client.ts'
import {
  deleteAccountChanges,
  nextAccountChanges,
  postponeAccountChanges,
  type AccountChange,
} from './broker.queries.ts'

export const sealPurpose = 'maple broker account'

/** Command and response topics of Mosquitto's dynamic security. */
const controlTopic = '$CONTROL/dynamic-security/v1'
export const answerTopic = `${controlTopic}/response`

/** Mosquitto writes a file for each command, and serves nobody meanwhile. */
const maxAtOnce = 5
const pauseMs = 100
const answerMs = 10_000

/** Responses that mean it was already done, if the first response was lost. */
const doneBefore = new Set(['Client already exists', 'Client not found'])

interface Answer {
  command: string
  correlationData?: string
  error?: string
}

interface Options {
  db: MapleDb
  /** Opens sealed secrets. */
  secret: string
  log: { warn: (fields: object, text: string) => void }
}

/** Creates and removes the devices' broker accounts, over one connection to it. */
export function brokerAccounts(client: BrokerClient, { db, secret, log }: Options) {
  const waiting = new Map<string, (answer: Answer) => void>()
  let lastCommand = 0

  /** The responses in the order of the commands; undefined for one that the broker did not answer. */
  async function command(commands: readonly object[]): Promise<(Answer | undefined)[]> {
    const sent = commands.map((each) => ({ ...each, correlationData: String(++lastCommand) }))
    const answers = sent.map(({ correlationData }) => {
      return new Promise<Answer | undefined>((resolve) => {
        const timer = setTimeout(() => resolve(undefined), answerMs)
        waiting.set(correlationData, (answer) => {
          clearTimeout(timer)
          resolve(answer)
        })
      })
    })
    client.publish(controlTopic, JSON.stringify({ commands: sent }))
    const found = await Promise.all(answers)
    for (const { correlationData } of sent) waiting.delete(correlationData)
    return found
  }

  const commandOf = ({ userName: username, sealedSecret }: AccountChange) =>
    sealedSecret === null
      ? { command: 'deleteClient', username }
      : {
          command: 'createClient',
          username,
          password: unseal(sealedSecret, secret, sealPurpose),
        }

  return {
    heard(payload: string) {
      const { responses } = readJson(payload) as { responses: Answer[] }
      for (const answer of responses) waiting.get(answer.correlationData ?? '')?.(answer)
    },
    /** What no rule allows is refused: with other defaults a subscription to `#` would hear all devices. */
    async refuseByDefault(): Promise<void> {
      const acls = ['publishClientSend', 'publishClientReceive', 'subscribe'].map((acltype) => ({
        acltype,
        allow: false,
      }))
      const [answer] = await command([{ command: 'setDefaultACLAccess', acls }])
      if (answer?.error === undefined && answer) return
      throw new BrokerRefusal(
        `the broker does not take commands at ${controlTopic}: ${answer?.error ?? 'no answer'}`,
      )
    },
    /** Until nothing waits. */
    async work(): Promise<void> {
      for (;;) {
        const changes = await nextAccountChanges(db, maxAtOnce)
        if (changes.length === 0) return
        const answers = await command(changes.map(commandOf))
        const [done, failed]: [number[], number[]] = [[], []]
        for (const [index, { id, userName }] of changes.entries()) {
          const error = answers[index] ? answers[index].error : 'no answer'
          if (error === undefined || doneBefore.has(error)) done.push(id)
          else {
            failed.push(id)
            log.warn({ userName, reason: error }, 'The broker refused a change of an account')
          }
        }
        await deleteAccountChanges(db, done)
        if (failed.length > 0) await postponeAccountChanges(db, failed)
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
    },
  }
}

export type BrokerAccounts = ReturnType<typeof brokerAccounts>
