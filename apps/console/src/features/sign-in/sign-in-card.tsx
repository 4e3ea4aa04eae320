import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { VisitorPage } from '../../ui/page/visitor-page.tsx'

interface SignInCardProps {
  title: ReactNode
  from?: string | undefined
  children: ReactNode
}

/** A page related to the login page, with a link back to it. */
export const SignInCard = ({ title, from, children }: SignInCardProps) => (
  <VisitorPage>
    <div className="card form">
      <h1>{title}</h1>
      {children}
      <p>
        <Link to="/login" search={{ from }}>
          <Trans>Back to sign in</Trans>
        </Link>
      </p>
    </div>
  </VisitorPage>
)
