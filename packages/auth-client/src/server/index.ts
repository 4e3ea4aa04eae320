export { type AdminSignIn, type AdminSignInOptions, createAdminSignIn } from './admin-sign-in.ts'
