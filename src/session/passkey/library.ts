// Loaded only for sign-ins: its parsers of certificates would slow down each start of an isolate. The bundle has nothing else of it.
export { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
