// Carries the shared precompiled header (see Precompiled.h).
