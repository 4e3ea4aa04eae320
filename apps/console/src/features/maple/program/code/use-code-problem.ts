import type { ScriptProblem } from '@grove/contract/maple/program/script'
import { useLingui } from '@lingui/react/macro'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import { api } from '../../../../session/api.ts'
import type { CodeProblem } from './code-api.ts'

const checkPath = '/api/maple/scripts/check'

/** The syntax error of a JavaScript text. */
const checkQuery = (code: string) =>
  queryOptions({
    queryKey: ['maple', checkPath, code],
    queryFn: ({ signal }) => api.maple.post(checkPath, { body: { code }, signal }),
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
  })

const typingPauseMs = 500

/** An error in words, with its line. */
export function useProblemText() {
  const { t } = useLingui()
  return ({ name, message, line }: Omit<ScriptProblem, 'column'>): string => {
    const said = name === '' || name === 'Error' ? message : `${name}: ${message}`
    return line === null ? said : t`Line ${line}: ${said}`
  }
}

/**
 * The error to show while a program is being written: a syntax error, or else what it threw in its
 * last run, if it is unchanged since.
 */
export function useCodeProblem(text: string, thrown: ScriptProblem | null) {
  const problemText = useProblemText()
  const paused = usePaused(useDeferredValue(text), typingPauseMs)
  const { data } = useQuery({ ...checkQuery(paused), enabled: paused.trim() !== '' })
  const found = (paused === text ? data?.problem : undefined) ?? thrown
  return { problems: useMarks(found), words: found ? problemText(found) : '' }
}

/** Where the editor marks an error. */
export function useMarks(found: ScriptProblem | null): CodeProblem[] {
  const { line = null, column = null, message = '' } = found ?? {}
  return useMemo(() => (line === null ? [] : [{ line, column, message }]), [line, column, message])
}

/** A value, once it has been stable for a while. */
export function usePaused<Value>(value: Value, ms: number): Value {
  const [paused, setPaused] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return paused
}
