import {
  CircleUser,
  Cpu,
  Fingerprint,
  KeyRound,
  ListChecks,
  ScrollText,
  Smartphone,
  Users,
  type LucideIcon,
} from 'lucide-react'
import type { PagePath } from './navigation.ts'

/** The icon of each row of the side menu; apart from the table, which the sign-in page loads as well. */
export const navigationIcons: Partial<Record<PagePath, LucideIcon>> = {
  '/dashboard/cedar/mobile': Smartphone,
  '/dashboard/maple/devices': Cpu,
  '/dashboard/maple/accounts': KeyRound,
  '/dashboard/system/jobs': ListChecks,
  '/dashboard/system/events': ScrollText,
  '/dashboard/cedar/account': CircleUser,
  '/dashboard/cedar/account/details': Fingerprint,
  '/dashboard/cedar/account/people': Users,
}
