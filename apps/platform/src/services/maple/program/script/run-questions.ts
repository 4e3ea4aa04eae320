import { setTimeout as wait } from 'node:timers/promises'
import { maxQuestions, type QuestionType } from '@grove/contract/maple/program/script.rules'
import { CallError, type Turn } from '../../../../core/sandbox/sandbox.ts'
import type { MapleDb } from '../../base/tables.ts'
import { closeQuestion, putQuestion, takeAnswer } from './script-run.queries.ts'

/** Polling interval for an answer, which may come to another process. */
const lookMs = 200

interface Parts {
  db: MapleDb
  runId: string
  signal: AbortSignal
  turn: () => Turn | undefined
}

interface Question {
  type: QuestionType
  text: string
  seconds: number
}

/** Asks the person who started a run, one question at a time; undefined on timeout. */
export function runQuestions({ db, runId, signal, turn }: Parts) {
  let count = 0
  let prompts = 0

  async function answerTo(number: number): Promise<string | undefined> {
    for (;;) {
      await wait(lookMs, undefined, { signal })
      const found = await takeAnswer(db, runId, number)
      if (!found) return undefined
      if (found.answer !== null) return found.answer
      if (found.isOver) {
        await closeQuestion(db, runId, number)
        return undefined
      }
    }
  }

  return async (question: Question): Promise<string | undefined> => {
    const number = ++count
    if (question.type === 'prompt' && ++prompts > maxQuestions)
      throw new CallError('PromptError', `A run can ask at most ${maxQuestions} times.`)
    await putQuestion(db, runId, { number, ...question })
    const ask = () => answerTo(number)
    return turn()?.leave(ask) ?? ask()
  }
}

export type AskPerson = ReturnType<typeof runQuestions>
