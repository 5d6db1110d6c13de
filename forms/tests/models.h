/* models.h - two large forms, of which the growth of expressions is measured: test_growth.c, bench/compile.c. */
#pragma once

/* A heart's wall: G. A. Holzapfel, R. W. Ogden, Constitutive modelling of passive myocardium, Phil. Trans. R. Soc. A 2009,
   split into volume and shape, with fibres that bear no pressure.  Unknown u (test v), fields f0, s0. */
static const char models_heart[] = "a = 0.059; b = 8.023; a_f = 18.472; b_f = 16.026; a_s = 2.481; b_s = 11.12;\n"
                                   "a_fs = 0.216; b_fs = 11.436;\n"
                                   "F = I + grad(u); J = det(F); C = J^(-2/3)*dot(transpose(F), F);\n"
                                   "I1 = tr(C); I4f = inner(f0, dot(C, f0)); I4s = inner(s0, dot(C, s0));\n"
                                   "I8 = inner(f0, dot(C, s0)); E_f = max(I4f - 1, 0); E_s = max(I4s - 1, 0);\n"
                                   "W = a/(2*b)*(exp(b*(I1 - 3)) - 1) + a_f/(2*b_f)*(exp(b_f*E_f^2) - 1) +\n"
                                   "    a_s/(2*b_s)*(exp(b_s*E_s^2) - 1) + a_fs/(2*b_fs)*(exp(b_fs*I8^2) - 1) +\n"
                                   "    kappa/4*(J^2 - 1 - 2*log(J));\n"
                                   "derive(W*dx(degree: 4), u)";

/* A turbulent flow: D. C. Wilcox, Formulation of the k-omega turbulence model revisited, AIAA J. 2008, with the production
   limiter of F. R. Menter, AIAA J. 1994, in three dimensions, all equations coupled.  Unknowns u (test v), p (q), k (l),
   w (m). */
static const char models_turbulence[] =
  "S = sym(grad(u)); R = skew(grad(u)); SS = 2*inner(S, S); w_t = max(w, 7/8*sqrt((SS + 1e-10)/0.09));\n"
  "nu_t = k/w_t; chi = abs(inner(dot(R, R), S)/(0.09*w)^3); beta = 0.0708*(1 + 85*chi)/(1 + 100*chi);\n"
  "P = min(nu_t*SS, 10*0.09*k*w); cross_kw = inner(grad(k), grad(w)); s_d = if(cross_kw > 0, 1/8, 0);\n"
  "nu_k = nu + 0.6*k/w; nu_w = nu + 0.5*k/w;\n"
  "(inner(dt(u) + dot(grad(u), u), v) + 2*(nu + nu_t)*inner(S, grad(v)) - p*div(v) + q*div(u) +\n"
  " (dt(k) + inner(u, grad(k)))*l + nu_k*inner(grad(k), grad(l)) - (P - 0.09*k*w)*l +\n"
  " (dt(w) + inner(u, grad(w)))*m + nu_w*inner(grad(w), grad(m)) -\n"
  " (0.52*w/k*P - beta*w^2 + s_d/w*cross_kw)*m)*dx(degree: 5)";
