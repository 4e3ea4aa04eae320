import type { Rollout } from '@grove/contract/maple/rollout/rollout'
import type { ReactNode } from 'react'
import { Link } from '../../../ui/link/link.tsx'

/** Links to the program of a rollout. */
export function ProgramLink(
  props: Pick<Rollout['program'], 'kind' | 'id'> & { children: ReactNode },
) {
  const { kind, id, children } = props
  if (kind === 'image')
    return (
      <Link to="/dashboard/maple/binary_images" search={{ image: id }} preload={false}>
        {children}
      </Link>
    )
  return (
    <Link to={pages[kind]} params={{ id }} preload={false}>
      {children}
    </Link>
  )
}

const pages = {
  applet: '/dashboard/maple/applets/$id',
  template: '/dashboard/maple/templates/$id',
  script: '/dashboard/maple/scripts/$id',
} as const
