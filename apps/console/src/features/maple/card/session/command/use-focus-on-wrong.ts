import { useEffect, type RefObject } from 'react'

/** After each refusal by the form itself, the first wrong field has the focus. */
export function useFocusOnWrong(form: RefObject<HTMLFormElement | null>, refusals: number): void {
  useEffect(() => {
    if (refusals > 0) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [form, refusals])
}
