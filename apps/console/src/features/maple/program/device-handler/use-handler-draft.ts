import type { DeviceHandler, DeviceHandlerTest } from '@grove/contract/maple/program/device-handler'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { api } from '../../../../session/api.ts'
import { useEditForm } from '../../../../ui/form/use-edit-form.ts'
import { usePaused } from '../code/use-code-problem.ts'
import { path, refreshHandler, tryQuery } from './device-handler.api.ts'

/** As the form holds it: the tests as text, so that conflicting changes are compared as a whole. */
export interface DraftValues {
  code: string
  tests: string
}

export const testsOf = ({ tests }: DraftValues) => JSON.parse(tests) as DeviceHandlerTest[]

const savedOf = ({ code, tests, revision }: DeviceHandler) => ({
  values: { code, tests: JSON.stringify(tests) },
  revision,
})

/** The unsaved code and tests of a handler, and the test results. */
export function useHandlerDraft(handler: DeviceHandler) {
  const { id, rights } = handler
  const params = { id }
  const form = useEditForm<DraftValues>({
    saved: savedOf(handler),
    submit: async (values, { revision }) => {
      const saved = await api.maple.put(`${path}/{id}`, {
        params,
        ...(revision !== undefined && { ifMatch: revision }),
        body: { code: values.code, tests: testsOf(values) },
      })
      void refreshHandler(saved)
      return savedOf(saved)
    },
    load: async () => savedOf(await api.maple.get(`${path}/{id}`, { params })),
  })
  const { code, tests: text } = form.values
  const tests = testsOf(form.values)
  const paused = usePaused(useDeferredValue(code), typingPauseMs)
  const { data } = useQuery({
    ...tryQuery(
      paused,
      tests.map(({ input }) => input),
    ),
    enabled: rights.run === null && paused.trim() !== '',
  })
  return {
    form,
    tests,
    setTests: (changed: DeviceHandlerTest[]) => form.set({ tests: JSON.stringify(changed) }),
    isSaved: code === handler.code && text === JSON.stringify(handler.tests),
    /** The code, once typing has paused. */
    code: paused,
    problem: paused === code ? (data?.problem ?? null) : null,
    results: data?.results,
  }
}

export type HandlerDraft = ReturnType<typeof useHandlerDraft>

const typingPauseMs = 400
