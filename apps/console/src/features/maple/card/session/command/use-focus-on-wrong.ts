import { useEffect, type RefObject } from 'react'

/** Focuses the first invalid field each time the form itself refuses to submit. */
export function useFocusOnWrong(form: RefObject<HTMLFormElement | null>, refusals: number): void {
  useEffect(() => {
    if (refusals > 0) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [form, refusals])
}
