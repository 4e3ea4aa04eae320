import type { ScriptProblem } from '@grove/contract/maple/program/script'
import { useLingui } from '@lingui/react/macro'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import { api } from '../../../../session/api.ts'
import type { CodeProblem } from './code-api.ts'

const checkPath = '/api/maple/scripts/check'

/** What is wrong with a text as JavaScript. */
const checkQuery = (code: string) =>
  queryOptions({
    queryKey: ['maple', checkPath, code],
    queryFn: ({ signal }) => api.maple.post(checkPath, { body: { code }, signal }),
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
  })

const typingPauseMs = 500

/** A mistake in words, with its line. */
export function useProblemText() {
  const { t } = useLingui()
  return ({ name, message, line }: Omit<ScriptProblem, 'column'>): string => {
    const said = name === '' || name === 'Error' ? message : `${name}: ${message}`
    return line === null ? said : t`Line ${line}: ${said}`
  }
}

/**
 * What is wrong with a program while it is written: as JavaScript, or else what it threw when it last
 * ran as it is now.
 */
export function useCodeProblem(text: string, thrown: ScriptProblem | null) {
  const problemText = useProblemText()
  const paused = usePaused(useDeferredValue(text), typingPauseMs)
  const { data } = useQuery({ ...checkQuery(paused), enabled: paused.trim() !== '' })
  const found = (paused === text ? data?.problem : undefined) ?? thrown
  return { problems: useMarks(found), words: found ? problemText(found) : '' }
}

/** Where the editor marks a mistake. */
export function useMarks(found: ScriptProblem | null): CodeProblem[] {
  const { line = null, column = null, message = '' } = found ?? {}
  return useMemo(() => (line === null ? [] : [{ line, column, message }]), [line, column, message])
}

/** A value that has stayed for a while. */
export function usePaused<Value>(value: Value, ms: number): Value {
  const [paused, setPaused] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return paused
}
