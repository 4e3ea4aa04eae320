import type { ReactNode } from 'react'
import { Session } from './session.tsx'

// oxlint-disable-next-line import/no-default-export -- Next.js finds layouts and pages by it
export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <Session>{children}</Session>
      </body>
    </html>
  )
}
