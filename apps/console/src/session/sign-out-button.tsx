import { Trans } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { signOut } from './session.ts'

interface SignOutButtonProps {
  className?: string
  icon?: ReactNode
  /** Asks about unsaved work; false cancels the sign-out. */
  mayLeave?: () => Promise<boolean>
}

export function SignOutButton({ className, icon, mayLeave }: SignOutButtonProps) {
  const router = useRouter()
  const queryClient = useQueryClient()
  const leave = async () => {
    if (mayLeave && !(await mayLeave())) return
    await signOut(router, queryClient)
  }
  return (
    <button type="button" className={className} onClick={() => void leave()}>
      {icon}
      <Trans>Logout</Trans>
    </button>
  )
}
