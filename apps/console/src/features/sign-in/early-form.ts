import { useEffect, useLayoutEffect, useState } from 'react'
import { keepEmail, typedEmail } from '../../session/typed-email.ts'
import type { SignInForm } from './use-sign-in-form.ts'

interface Credentials {
  email: string
  password: string
}

/** The form that is in the page before the scripts load (build/sign-in-form/). */
const earlyForm = () => document.querySelector<HTMLFormElement>('#early-form form')

function typedInto(form: HTMLFormElement): Credentials {
  const valueOf = (name: string) =>
    form.querySelector<HTMLInputElement>(`input[name=${name}]`)?.value ?? ''
  return { email: valueOf('email'), password: valueOf('password') }
}

/**
 * The initial state of the sign-in form: what was typed before it loaded, and which field has the
 * focus.
 */
export function useEarlyForm() {
  const [start] = useState(() => {
    const early = earlyForm()
    const kept = { email: typedEmail(), password: '' }
    const { email, password } = early ? typedInto(early) : kept
    const active = early?.contains(document.activeElement) && document.activeElement
    const focused = active instanceof HTMLInputElement ? active.name : email ? 'password' : 'email'
    return { values: { email, password }, focused }
  })
  return start
}

/** Replaces the early form in the same frame, and submits what was submitted there. */
export function useTakeOver(form: SignInForm<Credentials>) {
  const [isSent, setSent] = useState(false)
  const { ref } = form.props
  useLayoutEffect(() => {
    const early = earlyForm()
    if (!early) return
    // A key may have been pressed since the render started.
    const typed = typedInto(early)
    form.set(typed)
    keepEmail(typed.email)
    setSent('sent' in early.dataset)
    document.getElementById('early-form')?.remove()
    // oxlint-disable-next-line react/exhaustive-deps -- once, when the form mounts
  }, [])
  useEffect(() => {
    if (isSent) ref.current?.requestSubmit()
  }, [isSent, ref])
}
