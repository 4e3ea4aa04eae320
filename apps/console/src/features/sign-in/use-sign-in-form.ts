import { useForm, type FormOptions } from '../../ui/form/use-form.ts'
import { signInProblem } from '../../session/sign-in-problem.ts'
import { useOffline } from './use-offline.ts'

/** A form of the sign-in pages. Nothing is sent while offline; what was typed stays. */
export function useSignInForm<V extends object>(options: FormOptions<V>) {
  const isOffline = useOffline()
  const isBlocked = isOffline || (options.isBlocked ?? false)
  const form = useForm({
    ...options,
    isBlocked,
    submit: (values) =>
      options.submit(values).catch((reason: unknown) => {
        throw signInProblem(reason)
      }),
  })
  return { ...form, isOffline, isBlocked: isBlocked || form.status === 'saving' }
}

export type SignInForm<V extends object> = ReturnType<typeof useSignInForm<V>>
