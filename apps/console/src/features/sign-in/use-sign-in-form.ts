import { useRef } from 'react'
import { ApiProblem } from '../../api/problem.ts'
import { useForm, type FormOptions } from '../../ui/form/use-form.ts'
import { signInProblem } from '../../session/sign-in-problem.ts'
import { useOffline } from './use-offline.ts'

interface SignInOptions<V extends object> extends Omit<FormOptions<V>, 'submit'> {
  /** Rejects with the problem; the cancel button aborts the signal. */
  submit: (values: V, signal: AbortSignal) => Promise<unknown>
}

/** A form of the sign-in pages. Nothing is sent while offline; the input stays. */
export function useSignInForm<V extends object>(options: SignInOptions<V>) {
  const running = useRef<AbortController>(null)
  const isOffline = useOffline()
  const isBlocked = isOffline || (options.isBlocked ?? false)
  const form = useForm({
    ...options,
    isBlocked,
    submit: async (values) => {
      const controller = new AbortController()
      running.current = controller
      try {
        // Whatever the call does with its signal, the form is usable again.
        await Promise.race([options.submit(values, controller.signal), untilAborted(controller)])
      } catch (reason) {
        const { aborted } = controller.signal
        throw aborted ? new ApiProblem({ code: 'sign_in_cancelled' }, 0) : signInProblem(reason)
      }
    },
  })
  return {
    ...form,
    isOffline,
    isBlocked: isBlocked || form.status === 'saving',
    cancel: () => running.current?.abort(),
  }
}

export type SignInForm<V extends object> = ReturnType<typeof useSignInForm<V>>

const untilAborted = ({ signal }: AbortController) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error))
  })
