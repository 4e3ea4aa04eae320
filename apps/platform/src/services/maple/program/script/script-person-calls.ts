import {
  maxPromptLength,
  maxShownCallLength,
  maxPromptSeconds,
  promptSeconds,
} from '@grove/contract/maple/program/script.rules'
import { CallError, type HostCall } from '../../../../core/sandbox/sandbox.ts'
import type { SecretHandles } from '../secret/secret-handles.ts'
import type { AskPerson } from './run-questions.ts'

/** The script's calls to the person who started it: `prompt`, and secret handles. */
export function personCalls(
  ask: AskPerson | undefined,
  handles: SecretHandles,
): Record<string, HostCall> {
  return {
    'script.secret': async (name) => handles.handleOf(name),
    'script.prompt': async (text, given) => {
      if (typeof text !== 'string' || text.trim() === '')
        throw new CallError('TypeError', 'Pass the question: prompt("PIN of the card").')
      if (text.length > maxPromptLength)
        throw new CallError('RangeError', `A question has at most ${maxPromptLength} characters.`)
      if (!ask)
        throw new CallError('PromptError', 'Rollouts cannot prompt. Give the script an input.')
      const answer = await ask({ type: 'prompt', text, seconds: secondsOf(given) })
      if (answer === undefined) throw new CallError('PromptError', `Nobody answered: ${text}`)
      return answer
    },
  }
}

function secondsOf(given: unknown): number {
  const { seconds = promptSeconds } = Object(given ?? {}) as { seconds?: unknown }
  if (typeof seconds !== 'number' || !(seconds >= 1 && seconds <= maxPromptSeconds))
    throw new CallError('RangeError', `A person has 1 to ${maxPromptSeconds} seconds.`)
  return Math.round(seconds)
}

/** The session's calls, each of which waits until the person releases it. */
export function steppedCalls(
  calls: Record<string, HostCall>,
  ask: AskPerson,
  handles: SecretHandles,
): Record<string, HostCall> {
  let isStepping = true
  const stepped =
    (name: string, call: HostCall): HostCall =>
    async (...args) => {
      if (isStepping) {
        const text = handles.named(shownCall(name, args)).slice(0, maxShownCallLength)
        const answer = await ask({ type: 'step', text, seconds: maxPromptSeconds })
        if (answer === undefined)
          throw new CallError('StepError', 'Nobody released the next command.')
        isStepping = answer === 'next'
      }
      return call(...args)
    }
  return Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [name, stepped(name, call)]),
  )
}

const shownCall = (name: string, args: readonly unknown[]) =>
  `${name}(${args.map((each) => JSON.stringify(each) ?? '').join(', ')})`
